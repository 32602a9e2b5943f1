import { type Kysely, sql } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** The last number of a home was looked for among all of its orders. */
export const ahead: readonly LargeIndex[] = [
  {
    name: 'purchaseOrders_sequence',
    on: `"purchaseOrders" ("organizationId", "homeId", (substring("number" from '[0-9]+$')::integer))`,
  },
]

/**
 * Tables that refer to their builder through a record of its own anyway: an order to its home, an invitation to its bid
 * request, a word of the search to the record that it was read from.
 */
const TABLES = [
  ...[
    'bidRequests',
    'bids',
    'budgetLines',
    'budgetTransfers',
    'complianceDocuments',
    'contracts',
    'fileArrivals',
    'homes',
  ],
  ...['invitations', 'leadActivities', 'lienWaivers', 'links', 'lumpSums', 'mails', 'milestones', 'paymentAllocations'],
  ...['payments', 'prices', 'purchaseOrderLines', 'purchaseOrders', 'searchQueue', 'searchVariants', 'searchWords'],
  ...['selections', 'tasks', 'timeEntries', 'timesheets', 'vendorNotifications'],
] as const

/**
 * A reference locks the row that it leads to, for each row that is added. Of those to the builder there were fourteen in a
 * bid request, all to the one row that every other writer of the builder locked too; PostgreSQL keeps so many holders of
 * one row in lists that it searches and writes anew, which took the larger part of an order.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
  for (const table of TABLES) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(`${table}_organizationId_fkey`)}`.execute(db)
  }
}
