import type { Services } from '../../platform/calls/call.ts'
import * as attachments from './queries.ts'

/**
 * The maximum number of files in one run, so that a run does not delay a shutdown. The next run starts soon afterward.
 */
const MAX_FILES_PER_RUN = 20

/**
 * Moves small files that were uploaded as JSON from the database to the store. If two processes move the same file,
 * they harmlessly write it twice to the same key.
 */
export async function storeSmallFiles({ database, files }: Services): Promise<void> {
  const db = database.statements
  for (const { organizationId, attachmentId } of await attachments.listUnstoredFiles(db, MAX_FILES_PER_RUN)) {
    const tenant = { db, organizationId }
    const content = await attachments.findContent(tenant, attachmentId)
    if (content === undefined) continue
    const { path, discard } = await files.receive(Buffer.from(content, 'base64'))
    try {
      await files.store.put(attachments.toStorageKey(organizationId, attachmentId), path)
    } finally {
      await discard()
    }
    await attachments.deleteContent(tenant, attachmentId)
  }
}

/** Removes files without an attachment from the store: uploads that were never committed, and deleted files. */
export async function deleteRemovableFiles({ database, files, clock }: Services): Promise<void> {
  const db = database.statements
  for (const { organizationId, attachmentId } of await attachments.listRemovableFiles(
    db,
    clock.now(),
    MAX_FILES_PER_RUN,
  )) {
    await files.store.remove(attachments.toStorageKey(organizationId, attachmentId))
    await attachments.deleteScheduledRemoval({ db, organizationId }, attachmentId)
  }
  await files.tidy(Date.now())
}
