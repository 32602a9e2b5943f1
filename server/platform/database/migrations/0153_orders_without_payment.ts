import { type Kysely, sql } from 'kysely'

/** Orders for the schedule alone; and those of which nothing is to be paid, which the clock closes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "purchaseOrders" add column "noPayment" boolean not null default false`.execute(db)
  await sql`
    create index "purchaseOrders_unpaid" on "purchaseOrders" ("completedAt")
    where "status" = 'completed' and "completedAmount" = 0 and "paidAmount" = 0 and "reservedAmount" = 0`.execute(db)
}
