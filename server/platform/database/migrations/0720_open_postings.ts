import type { Kysely } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/**
 * Indexes for reports about open amounts: orders with open amounts, postings that were recorded after a given time, and
 * credits of vendors without an order.
 */
export const ahead: readonly LargeIndex[] = [
  {
    name: 'purchaseOrders_withOpenAmount',
    on: `"purchaseOrders" ("organizationId", "vendorId", "id")
      where "payableAmount" <> 0 or "retainedAmount" <> 0 or "unbilledAmount" <> 0`,
  },
  { name: 'postings_recordedAt', on: `"postings" ("organizationId", "recordedAt")` },
  {
    name: 'postings_vendorCredits',
    on: `"postings" ("organizationId", "vendorId")
      where "poId" is null and "billId" is null and "measure" = 'payable' and "vendorId" is not null`,
  },
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
}
