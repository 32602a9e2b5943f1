import { createHash } from 'node:crypto'
import type { Tenant } from '../../../platform/calls/call.ts'
import { createFileResponse, type FileResponse } from '../../../platform/calls/file-response.ts'
import { TenantSemaphore } from '../../../platform/calls/tenant-semaphore.ts'
import { setLatestEntry } from '../../../platform/values/set-latest-entry.ts'
import { type Drawing, DrawingThread } from './drawing-thread.ts'

/** Draws one document at a time per organization, so that one organization's documents do not delay another's. */
const drawingSemaphore = new TenantSemaphore({ of: 'documents', most: 1, mostWaiting: 20, waitMs: 10_000 })

const drawingThread = new DrawingThread()

/**
 * The most recently drawn documents, keyed by all values that they show, including the versions of their records. A
 * client that has a document may check whether it has changed, or request its length or its next part.
 */
const cachedDocuments = new Map<string, Buffer>()

/**
 * The cache uses at most eight megabytes in total. An order of a few lines takes about 20 kB; an order of 100 pages
 * takes less than 300 kB.
 */
const MAX_CACHED = 16
const MAX_CACHED_BYTES = 512 * 1024

/**
 * Returns the PDF of the sheet, drawing it unless it is cached. Throws `too_much_work` or
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
  // Check the cache again before drawing: the previous request may have been for the same document.
  const bytes =
    cachedDocuments.get(name) ??
    (await drawingSemaphore.run(
      organizationId,
      async () => cachedDocuments.get(name) ?? drawingThread.draw({ fileName, module, sheet: text }),
    ))
  if (bytes.length <= MAX_CACHED_BYTES) setLatestEntry(cachedDocuments, name, bytes, MAX_CACHED)
  return createFileResponse(fileName, 'application/pdf', bytes)
}
