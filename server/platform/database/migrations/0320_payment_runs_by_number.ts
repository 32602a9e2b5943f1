import type { Kysely } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** Payment runs sorted by number were all read and sorted. */
export const ahead: readonly LargeIndex[] = [
  { name: 'paymentRuns_number', on: '"paymentRuns" ("organizationId", "number", "id")' },
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
}
