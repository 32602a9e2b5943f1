import type { Kysely } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** What the lists of orders and of executions filter by, which grew with them at a million rows. */
export const ahead: readonly LargeIndex[] = [
  // The one by vendor and status is of no use where no vendor is named.
  { name: 'purchaseOrders_byStatus', on: `"purchaseOrders" ("organizationId", "status", "id")` },
  { name: 'executions_createdAt', on: `"executions" ("organizationId", "createdAt", "id")` },
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
}
