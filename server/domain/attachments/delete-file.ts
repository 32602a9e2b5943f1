import type { Attachment } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import * as attachments from './queries.ts'

/**
 * The time for which the content of deleted files is kept. A backup may copy the store after the database, and the copy
 * must contain every file that is in the database dump.
 */
const DELETED_RETENTION_MS = 24 * 60 * 60 * 1000

/** Deletes a locked attachment without checking permissions. The content of the file is deleted a day later. */
export async function deleteFile(call: WriteCall, attachment: Attachment, ifMatch: string | undefined): Promise<void> {
  const { archivedAt, size, id } = attachment
  await attachments.archive(call, attachment, ifMatch)
  if (archivedAt !== null) return
  await attachments.addUsedBytes(call, -size)
  await attachments.deleteContent(call, id)
  await attachments.scheduleFileRemoval(call, id, new Date(call.now.getTime() + DELETED_RETENTION_MS))
}
