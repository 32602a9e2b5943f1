import { type Kysely, sql } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** Finds the last order number of a home. Without this index, all orders of the home were read. */
export const ahead: readonly LargeIndex[] = [
  {
    name: 'purchaseOrders_sequence',
    on: `"purchaseOrders" ("organizationId", "homeId", (substring("number" from '[0-9]+$')::integer))`,
  },
]

/**
 * Tables whose rows also refer to their builder through another table. For example, an order refers to its builder
 * through its home, and a search word through its record.
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
 * When a row is added, each of its foreign keys locks the referenced row. A bid request had fourteen such references to
 * its builder. All of these foreign keys locked the same row, which every other writer of the builder also locked.
 * PostgreSQL keeps the lock holders of a row in lists that it searches and copies, which took most of the time of
 * creating an order.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
  for (const table of TABLES) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(`${table}_organizationId_fkey`)}`.execute(db)
  }
}
