import type { Services } from '../../platform/calls/call.ts'
import * as attachments from './queries.ts'

/** The maximum number of files per run, small enough not to delay a shutdown. The next run starts soon afterward. */
const MAX_FILES_PER_RUN = 20

/**
 * Moves small files that were uploaded as JSON from the database into the store. Two processes that move the same file
 * write it twice, to the same key, without harm.
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

/** Removes files from the store that have no attachment: uploads that were never committed, and deleted files. */
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
