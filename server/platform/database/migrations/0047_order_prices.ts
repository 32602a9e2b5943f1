import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "purchaseOrders"
      add column "contractId" text collate "C",
      add constraint "purchaseOrders_contractId_fkey" foreign key ("organizationId", "contractId") references "contracts" ("organizationId", "id")`.execute(
    db,
  )
  await sql`create index "purchaseOrders_contractId" on "purchaseOrders" ("organizationId", "contractId", "id") where "contractId" is not null`.execute(
    db,
  )
  // The index contains only open orders, of which a vendor has few.
  await sql`create index "purchaseOrders_status" on "purchaseOrders" ("organizationId", "vendorId", "status", "id")`.execute(
    db,
  )
  await sql`
    alter table "purchaseOrderLines"
      add column "partId" text collate "C",
      add column "priceId" text collate "C",
      add constraint "purchaseOrderLines_partId_fkey" foreign key ("organizationId", "partId") references "parts" ("organizationId", "id"),
      add constraint "purchaseOrderLines_priceId_fkey" foreign key ("organizationId", "priceId") references "prices" ("organizationId", "id")`.execute(
    db,
  )
  await sql`create index "purchaseOrderLines_partId" on "purchaseOrderLines" ("organizationId", "partId") where "partId" is not null`.execute(
    db,
  )
  await sql`create index "purchaseOrderLines_priceId" on "purchaseOrderLines" ("organizationId", "priceId") where "priceId" is not null`.execute(
    db,
  )
}
