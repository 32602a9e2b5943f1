import type { Kysely } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** This index finds the budget lines of a trade in a home without reading all budget lines of the home. */
export const ahead: readonly LargeIndex[] = [
  {
    name: 'budgetLines_scope',
    on: `"budgetLines" ("organizationId", "homeId", "scope") include ("budgeted") where "archivedAt" is null`,
  },
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
}
