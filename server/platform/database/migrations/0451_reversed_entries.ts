import type { Kysely } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** This index finds the reversal of an entry. */
export const ahead: readonly LargeIndex[] = [
  {
    name: 'postings_reversesEntryId',
    on: `"postings" ("organizationId", "reversesEntryId") where "reversesEntryId" is not null`,
  },
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
}
