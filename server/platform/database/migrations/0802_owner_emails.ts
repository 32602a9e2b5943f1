import type { Kysely } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** Finds the home owners with an email address, who can request a new link without knowing their builder. */
export const ahead: readonly LargeIndex[] = [
  { name: 'homeOwners_address', on: '"homeOwners" (lower("email")) where "archivedAt" is null' },
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
}
