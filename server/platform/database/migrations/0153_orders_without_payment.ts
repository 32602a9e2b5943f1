import { type Kysely, sql } from 'kysely'

/**
 * Adds orders that are only for scheduling, and an index of orders with a total of zero, which are closed
 * automatically.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "purchaseOrders" add column "noPayment" boolean not null default false`.execute(db)
  await sql`
    create index "purchaseOrders_unpaid" on "purchaseOrders" ("completedAt")
    where "status" = 'completed' and "completedAmount" = 0 and "paidAmount" = 0 and "reservedAmount" = 0`.execute(db)
}
