import { type Kysely, sql } from 'kysely'

// Order numbers are unique only within a home, because two communities can have lots with the same name.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "purchaseOrders" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "number" text collate "C" not null,
      "homeId" text collate "C" not null,
      "vendorId" text collate "C" not null,
      "scope" text not null,
      "poType" text not null,
      "parentPoId" text collate "C",
      "bidId" text collate "C",
      "accountingId" text,
      "externalId" text,
      "status" text not null,
      "subtotal" numeric(14,2) not null,
      "taxTotal" numeric(14,2) not null,
      "total" numeric(14,2) not null,
      "currency" text not null,
      "retainagePercent" numeric(5,2) not null,
      "retainedAmount" numeric(14,2) not null,
      "varianceReasonCode" text,
      "varianceResponsible" text,
      "notes" text,
      "approval" jsonb not null,
      "issuedAt" timestamptz(3),
      "acceptedAt" timestamptz(3),
      "completedAt" timestamptz(3),
      "closedAt" timestamptz(3),
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "purchaseOrders_number_key" unique ("organizationId", "homeId", "number"),
      constraint "purchaseOrders_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "purchaseOrders_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id"),
      constraint "purchaseOrders_parentPoId_fkey" foreign key ("organizationId", "parentPoId") references "purchaseOrders" ("organizationId", "id"),
      constraint "purchaseOrders_bidId_fkey" foreign key ("organizationId", "bidId") references "bids" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "purchaseOrders_updatedAt" on "purchaseOrders" ("organizationId", "updatedAt", "id")`.execute(
    db,
  )
  await sql`create index "purchaseOrders_number" on "purchaseOrders" ("organizationId", "number", "id")`.execute(db)
  await sql`create index "purchaseOrders_total" on "purchaseOrders" ("organizationId", "total", "id")`.execute(db)
  await sql`create index "purchaseOrders_homeId" on "purchaseOrders" ("organizationId", "homeId", "id")`.execute(db)
  await sql`create index "purchaseOrders_vendorId" on "purchaseOrders" ("organizationId", "vendorId", "id")`.execute(db)
  await sql`create index "purchaseOrders_parentPoId" on "purchaseOrders" ("organizationId", "parentPoId") where "parentPoId" is not null`.execute(
    db,
  )
  await sql`create index "purchaseOrders_bidId" on "purchaseOrders" ("organizationId", "bidId") where "bidId" is not null`.execute(
    db,
  )
  await sql`create index "purchaseOrders_accountingId" on "purchaseOrders" ("organizationId", "accountingId") where "accountingId" is not null`.execute(
    db,
  )
  await sql`create unique index "purchaseOrders_externalId_key" on "purchaseOrders" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )

  await sql`
    create table "purchaseOrderLines" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "purchaseOrderId" text collate "C" not null,
      "position" integer not null,
      "lineId" text not null,
      "budgetLineId" text collate "C",
      "description" text not null,
      "quantity" numeric(14,4) not null,
      "unit" text not null,
      "unitPrice" numeric(18,4) not null,
      "taxPercent" numeric(5,2) not null,
      "taxAmount" numeric(14,2) not null,
      "total" numeric(14,2) not null,
      primary key ("organizationId", "purchaseOrderId", "position"),
      constraint "purchaseOrderLines_purchaseOrderId_fkey" foreign key ("organizationId", "purchaseOrderId") references "purchaseOrders" ("organizationId", "id"),
      constraint "purchaseOrderLines_budgetLineId_fkey" foreign key ("organizationId", "budgetLineId") references "budgetLines" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "purchaseOrderLines_budgetLineId" on "purchaseOrderLines" ("organizationId", "budgetLineId") where "budgetLineId" is not null`.execute(
    db,
  )
}
