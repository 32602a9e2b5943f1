import { type Kysely, sql } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** This index finds the last order number of a home. Without it, the database read all orders of the home. */
export const ahead: readonly LargeIndex[] = [
  {
    name: 'purchaseOrders_sequence',
    on: `"purchaseOrders" ("organizationId", "homeId", (substring("number" from '[0-9]+$')::integer))`,
  },
]

/**
 * The tables whose rows also refer to their builder indirectly. For example, an order refers to its builder through its
 * home, and a search word through its record.
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
 * When a row is inserted, each of its foreign keys locks the referenced row. A bid request had fourteen direct or
 * indirect references to its builder, which all locked the row of the builder. All other writers of the builder locked
 * the same row. PostgreSQL searches and copies the list of transactions that lock a row, which took most of the time of
 * creating an order.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
  for (const table of TABLES) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(`${table}_organizationId_fkey`)}`.execute(db)
  }
}
