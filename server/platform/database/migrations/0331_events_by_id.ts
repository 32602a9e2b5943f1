import type { Kysely } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** An event's id tells when it was recorded, so the last event before a time is found by the id. */
export const ahead: readonly LargeIndex[] = [{ name: 'events_id', on: '"events" ("organizationId", "id")' }]

export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
}
