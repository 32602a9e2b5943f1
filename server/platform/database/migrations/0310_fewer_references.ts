import { type Kysely, sql } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** Finds the last number of a home, which was looked for among all of its orders. */
export const ahead: readonly LargeIndex[] = [
  {
    name: 'purchaseOrders_sequence',
    on: `"purchaseOrders" ("organizationId", "homeId", (substring("number" from '[0-9]+$')::integer))`,
  },
]

/**
 * Tables that refer to their builder indirectly anyway: an order through its home, an invitation through its bid
 * request, a search word through its record.
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
 * A foreign key locks the referenced row for each row that is added. A bid request had fourteen such references to its
 * builder, all to the one row that every other writer of the builder locked too. PostgreSQL keeps many holders of one
 * row in lists that it searches and copies, which took most of the time of creating an order.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
  for (const table of TABLES) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(`${table}_organizationId_fkey`)}`.execute(db)
  }
}
