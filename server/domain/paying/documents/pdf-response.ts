import { createHash } from 'node:crypto'
import type { Tenant } from '../../../platform/calls/call.ts'
import { createFileResponse, type FileResponse } from '../../../platform/calls/file-response.ts'
import { TenantSemaphore } from '../../../platform/calls/tenant-semaphore.ts'
import { keepLatest } from '../../../platform/values/keep-latest.ts'
import { type Drawing, DrawingThread } from './drawing-thread.ts'

/** One document at a time per organization, so that the documents of one do not delay those of others. */
const drawingSemaphore = new TenantSemaphore({ of: 'documents', most: 1, mostWaiting: 20, waitMs: 10_000 })

const drawingThread = new DrawingThread()

/**
 * The most recently drawn documents, keyed by all values that they show, including the versions of their records. A
 * client with a document may ask whether it has changed, for its length, or for its next part.
 */
const cachedDocuments = new Map<string, Buffer>()

/** Eight megabytes in total. An order of a few lines takes about 20 kB, one of 100 pages less than 300 kB. */
const MAX_CACHED = 16
const MAX_CACHED_BYTES = 512 * 1024

/**
 * Returns the PDF of the sheet, drawing it unless it is cached. Throws `too_much_work` and
 * `too_many_concurrent_requests`.
 */
export async function createPdfResponse<Sheet extends object>(
  { organizationId }: Tenant,
  fileName: string,
  sheet: Sheet,
  { module }: Drawing<Sheet>,
): Promise<FileResponse> {
  const text = JSON.stringify(sheet)
  const name = createHash('sha256')
    .update(JSON.stringify([organizationId, module, text]))
    .digest('base64url')
  // Check the cache again before drawing: the previous request may have been for the same document.
  const bytes =
    cachedDocuments.get(name) ??
    (await drawingSemaphore.run(
      organizationId,
      async () => cachedDocuments.get(name) ?? drawingThread.draw({ fileName, module, sheet: text }),
    ))
  if (bytes.length <= MAX_CACHED_BYTES) keepLatest(cachedDocuments, name, bytes, MAX_CACHED)
  return createFileResponse(fileName, 'application/pdf', bytes)
}
