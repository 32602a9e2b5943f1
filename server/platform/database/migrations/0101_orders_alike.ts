import { type Kysely, sql } from 'kysely'

/** Orders of a home to a vendor with the same total stand beside each other, so that duplicates cost what they are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "purchaseOrders_alike" on "purchaseOrders" ("organizationId", "homeId", "vendorId", "totalInCents")
      include ("status")`.execute(db)
}
