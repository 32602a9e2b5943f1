import type { Surroundings } from '../../platform/calls/call.ts'
import * as attachments from './queries.ts'

/** How many files are moved or removed in one run, so that a shutdown need not wait long; the next run comes soon. */
const MOST_AT_ONCE = 20

/**
 * Puts the small files that came in JSON into the store, where all files are. Two processes that move the same file do
 * so twice, to the same place.
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

/** Removes from the store what no attachment has: uploads that were never committed, and what was deleted. */
export async function removeLooseFiles({ database, files, clock }: Surroundings): Promise<void> {
  const db = database.statements
  for (const { organizationId, attachmentId } of await attachments.loose(db, clock.now(), MOST_AT_ONCE)) {
    await files.store.remove(attachments.keyOf(organizationId, attachmentId))
    await attachments.setFast({ db, organizationId }, attachmentId)
  }
  await files.tidy(Date.now())
}
