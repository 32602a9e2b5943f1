import type { Kysely } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** Indexes for filters of the order and execution lists, which became slow at a million rows. */
export const ahead: readonly LargeIndex[] = [
  // The index by vendor and status cannot be used without a vendor.
  { name: 'purchaseOrders_byStatus', on: `"purchaseOrders" ("organizationId", "status", "id")` },
  { name: 'executions_createdAt', on: `"executions" ("organizationId", "createdAt", "id")` },
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
}
