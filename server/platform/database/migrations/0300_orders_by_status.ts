import type { Kysely } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** Indexes for filters of the lists of orders and executions, which were slow with a million rows. */
export const ahead: readonly LargeIndex[] = [
  // The existing index by vendor and status is not usable without a vendor.
  { name: 'purchaseOrders_byStatus', on: `"purchaseOrders" ("organizationId", "status", "id")` },
  { name: 'executions_createdAt', on: `"executions" ("organizationId", "createdAt", "id")` },
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
}
