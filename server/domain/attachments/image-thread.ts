import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { TenantSemaphore } from '../../platform/calls/tenant-semaphore.ts'
import { WorkerLimitExceededError, WorkerThread } from '../../platform/runtime/worker-thread.ts'
import type { ImageResult } from './encode-image.ts'

/**
 * Only one image of an organization is processed at a time, so that the photos of one organization do not delay those
 * of other organizations.
 */
const imageSemaphore = new TenantSemaphore({ of: 'images', most: 1, mostWaiting: 100, waitMs: 20_000 })

const imageThread = new WorkerThread(new URL('./image-thread.js', import.meta.url), {
  // A photo from a phone takes about 200 ms.
  mostMs: 10_000,
  idleMs: 60_000,
  // This limit does not include the memory for the pixels. The number of pixels has a separate limit.
  maxMegabytes: 128,
})

/**
 * Measures an image, or encodes it as WebP with a width and height of at most `maxPixels`. If processing takes too
 * long, the file counts as unreadable. Throws `too_many_concurrent_requests` if too many images of the organization are
 * waiting.
 */
export function processImage(
  organizationId: string,
  open: () => Promise<Readable>,
  maxPixels: number | null,
): Promise<ImageResult> {
  return imageSemaphore.run(organizationId, async () => {
    // Copies the bytes into a buffer of their own, which is then transferred to the thread.
    const bytes = new Uint8Array(await buffer(await open()))
    try {
      return (await imageThread.send({ bytes, maxPixels }, [bytes.buffer])) as ImageResult
    } catch (error) {
      if (error instanceof WorkerLimitExceededError) return { status: 'unreadable' }
      throw error
    }
  })
}
