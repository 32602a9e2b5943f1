import type { Attachment } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import * as attachments from './queries.ts'

/**
 * Deleted files are kept this long. A copy of the store may start after a database dump, and must contain every file in
 * the dump.
 */
const DELETED_RETENTION_MS = 24 * 60 * 60 * 1000

/** Deletes a locked attachment. Its bytes are erased a day later. Does not check permissions. */
export async function deleteFile(call: WriteCall, attachment: Attachment, ifMatch: string | undefined): Promise<void> {
  const { archivedAt, size, id } = attachment
  await attachments.archive(call, attachment, ifMatch)
  if (archivedAt !== null) return
  await attachments.addUsedBytes(call, -size)
  await attachments.deleteContent(call, id)
  await attachments.scheduleFileRemoval(call, id, new Date(call.now.getTime() + DELETED_RETENTION_MS))
}
