import { createHash } from 'node:crypto'
import type { Tenant } from '../../../platform/calls/call.ts'
import { createFileResponse, type FileResponse } from '../../../platform/calls/file-response.ts'
import { TenantSemaphore } from '../../../platform/calls/tenant-semaphore.ts'
import { setLatestEntry } from '../../../platform/values/set-latest-entry.ts'
import { type Drawing, DrawingThread } from './drawing-thread.ts'

/**
 * Draws one document at a time for each organization, so that the documents of one organization do not delay those of
 * other organizations.
 */
const drawingSemaphore = new TenantSemaphore({ of: 'documents', most: 1, mostWaiting: 20, waitMs: 10_000 })

const drawingThread = new DrawingThread()

/**
 * The most recently drawn documents, keyed by all values that they show, including the versions of their records.
 * Clients often request a document repeatedly, for example to check whether it has changed, or to read its length or
 * its next part.
 */
const cachedDocuments = new Map<string, Buffer>()

/**
 * The cache uses at most 8 MB in total. The document of an order with a few lines takes about 20 kB, and that of an
 * order with 100 pages takes less than 300 kB.
 */
const MAX_CACHED = 16
const MAX_CACHED_BYTES = 512 * 1024

/**
 * Returns the PDF of the sheet from the cache, or draws the PDF. Throws `too_much_work` or
 * `too_many_concurrent_requests` if a limit is exceeded.
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
  // Checks the cache again after waiting, because the previous request may have drawn the same document.
  const bytes =
    cachedDocuments.get(name) ??
    (await drawingSemaphore.run(
      organizationId,
      async () => cachedDocuments.get(name) ?? drawingThread.draw({ fileName, module, sheet: text }),
    ))
  if (bytes.length <= MAX_CACHED_BYTES) setLatestEntry(cachedDocuments, name, bytes, MAX_CACHED)
  return createFileResponse(fileName, 'application/pdf', bytes)
}
