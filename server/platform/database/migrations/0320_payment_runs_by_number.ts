import type { Kysely } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** Without this index, a list of payment runs by number read and sorted all payment runs. */
export const ahead: readonly LargeIndex[] = [
  { name: 'paymentRuns_number', on: '"paymentRuns" ("organizationId", "number", "id")' },
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
}
