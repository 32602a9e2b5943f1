import { type Kysely, sql } from 'kysely'

/**
 * An index in which orders with the same home, vendor, and total are adjacent, so that a search for duplicates reads
 * only these orders.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "purchaseOrders_alike" on "purchaseOrders" ("organizationId", "homeId", "vendorId", "totalInCents")
      include ("status")`.execute(db)
}
