import { type Kysely, sql } from 'kysely'

/**
 * An index in which orders of a home to a vendor with the same total are adjacent, so that finding duplicates reads
 * only those.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "purchaseOrders_alike" on "purchaseOrders" ("organizationId", "homeId", "vendorId", "totalInCents")
      include ("status")`.execute(db)
}
