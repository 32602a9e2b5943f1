import type { Kysely } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** The ID of an event contains the time of its recording, so the last event before a given time can be found by ID. */
export const ahead: readonly LargeIndex[] = [{ name: 'events_id', on: '"events" ("organizationId", "id")' }]

export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
}
