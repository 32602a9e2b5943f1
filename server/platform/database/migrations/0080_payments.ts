import { type Kysely, sql } from 'kysely'

/** Adds payments to vendors, the orders and lines that they pay, and the resulting totals of the orders. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "paymentNumbers" (
      "organizationId" text collate "C" primary key references "organizations" ("id"),
      "last" integer not null
    )`.execute(db)
  await sql`
    create table "payments" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "number" text collate "C" not null,
      "vendorId" text collate "C" not null,
      "homeId" text collate "C",
      "poId" text collate "C",
      "paymentType" text not null,
      "status" text not null,
      "grossAmount" numeric(14,2) not null,
      "retainageWithheld" numeric(14,2) not null,
      "discountTaken" numeric(14,2) not null,
      "amount" numeric(14,2) not null,
      "currency" text not null,
      "invoiceNumber" text,
      "invoiceKey" text collate "C" generated always as (lower("invoiceNumber")) stored,
      "invoiceDate" date,
      "dueDate" date not null,
      "paidDate" date,
      "method" text not null,
      "checkNumber" text,
      "lienWaiverId" text,
      "replacesPaymentId" text collate "C",
      "accountingId" text,
      "externalId" text,
      "voidedAt" timestamptz(3),
      "voidReason" text,
      "bytes" integer not null default 0,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "payments_number_key" unique ("organizationId", "number"),
      constraint "payments_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id"),
      constraint "payments_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "payments_poId_fkey" foreign key ("organizationId", "poId") references "purchaseOrders" ("organizationId", "id"),
      constraint "payments_replacesPaymentId_fkey" foreign key ("organizationId", "replacesPaymentId") references "payments" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "payments_updatedAt" on "payments" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "payments_dueDate" on "payments" ("organizationId", "dueDate", "id")`.execute(db)
  await sql`create index "payments_vendorId" on "payments" ("organizationId", "vendorId", "id")`.execute(db)
  await sql`create index "payments_status" on "payments" ("organizationId", "status", "dueDate", "id")`.execute(db)
  await sql`create index "payments_homeId" on "payments" ("organizationId", "homeId") where "homeId" is not null`.execute(
    db,
  )
  await sql`create index "payments_poId" on "payments" ("organizationId", "poId") where "poId" is not null`.execute(db)
  await sql`create index "payments_replacesPaymentId" on "payments" ("organizationId", "replacesPaymentId") where "replacesPaymentId" is not null`.execute(
    db,
  )
  await sql`create index "payments_invoiceKey" on "payments" ("organizationId", "vendorId", "invoiceKey") where "invoiceKey" is not null`.execute(
    db,
  )
  await sql`create index "payments_accountingId" on "payments" ("organizationId", "accountingId") where "accountingId" is not null`.execute(
    db,
  )
  await sql`create unique index "payments_externalId_key" on "payments" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )

  await sql`
    create table "paymentAllocations" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "paymentId" text collate "C" not null,
      "position" integer not null,
      "poId" text collate "C" not null,
      "lineId" text,
      "amount" numeric(14,2) not null,
      "retainageWithheld" numeric(14,2) not null,
      primary key ("organizationId", "paymentId", "position"),
      constraint "paymentAllocations_paymentId_fkey" foreign key ("organizationId", "paymentId") references "payments" ("organizationId", "id"),
      constraint "paymentAllocations_poId_fkey" foreign key ("organizationId", "poId") references "purchaseOrders" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "paymentAllocations_poId" on "paymentAllocations" ("organizationId", "poId", "paymentId")`.execute(
    db,
  )

  await sql`
    alter table "purchaseOrders"
      add column "reservedAmount" numeric(14,2) not null default 0,
      add column "releasedAmount" numeric(14,2) not null default 0`.execute(db)
  await sql`
    alter table "purchaseOrders"
      alter column "reservedAmount" drop default,
      alter column "releasedAmount" drop default`.execute(db)
  // The amount that was paid separately for this line; zero if no payment refers to the line.
  await sql`alter table "purchaseOrderLines" add column "paidAmount" numeric(16,2) not null default 0`.execute(db)
}
