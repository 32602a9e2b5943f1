import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { TenantSemaphore } from '../../platform/calls/tenant-semaphore.ts'
import { WorkerLimitExceededError, WorkerThread } from '../../platform/runtime/worker-thread.ts'
import type { ImageResult } from './encode-image.ts'

/**
 * Each organization processes one image at a time, so that the photos of one organization do not delay the photos of
 * others.
 */
const imageSemaphore = new TenantSemaphore({ of: 'images', most: 1, mostWaiting: 100, waitMs: 20_000 })

const imageThread = new WorkerThread(new URL('./image-thread.js', import.meta.url), {
  // A photo from a phone takes about 200 ms.
  mostMs: 10_000,
  idleMs: 60_000,
  // The pixels are not part of this memory. The number of pixels is limited instead.
  maxMegabytes: 128,
})

/**
 * Measures an image, or encodes it as WebP with at most this many pixels on each side. A file that takes too long
 * counts as unreadable. Throws `too_many_concurrent_requests` if too many images of the organization are waiting.
 */
export function processImage(
  organizationId: string,
  open: () => Promise<Readable>,
  maxPixels: number | null,
): Promise<ImageResult> {
  return imageSemaphore.run(organizationId, async () => {
    // The bytes are copied to their own memory, which moves to the thread.
    const bytes = new Uint8Array(await buffer(await open()))
    try {
      return (await imageThread.send({ bytes, maxPixels }, [bytes.buffer])) as ImageResult
    } catch (error) {
      if (error instanceof WorkerLimitExceededError) return { status: 'unreadable' }
      throw error
    }
  })
}
