import type { Surroundings } from '../../platform/calls/call.ts'
import * as attachments from './queries.ts'

/** The number of files per run, small enough that a shutdown need not wait long. The next run follows soon. */
const MOST_AT_ONCE = 20

/**
 * Moves small files that were uploaded as JSON from the database into the store. Two processes that move the same file
 * write it twice, to the same key, without harm.
 */
export async function storeArrivals({ database, files }: Surroundings): Promise<void> {
  const db = database.statements
  for (const { organizationId, attachmentId } of await attachments.arrived(db, MOST_AT_ONCE)) {
    const tenant = { db, organizationId }
    const content = await attachments.contentOf(tenant, attachmentId)
    if (content === undefined) continue
    const { path, discard } = await files.receive(Buffer.from(content, 'base64'))
    try {
      await files.store.put(attachments.keyOf(organizationId, attachmentId), path)
    } finally {
      await discard()
    }
    await attachments.removeContent(tenant, attachmentId)
  }
}

/** Removes files from the store that have no attachment: uploads that were never committed, and deleted files. */
export async function removeLooseFiles({ database, files, clock }: Surroundings): Promise<void> {
  const db = database.statements
  for (const { organizationId, attachmentId } of await attachments.loose(db, clock.now(), MOST_AT_ONCE)) {
    await files.store.remove(attachments.keyOf(organizationId, attachmentId))
    await attachments.setFast({ db, organizationId }, attachmentId)
  }
  await files.tidy(Date.now())
}
