import { type Kysely, sql } from 'kysely'

/**
 * Adds schedules of values, applications for payment, the revenue method of a sale, and the price of a sale at its
 * approval.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "sales" add column "originalPrice" numeric(18,3)`.execute(db)
  await sql`alter table "sales" add column "revenueMethod" text not null default 'at_closing'`.execute(db)
  await sql`
    create table "schedulesOfValues" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "saleId" text collate "C" not null,
      "lines" jsonb not null,
      "retainagePercent" numeric(5,2) not null,
      "scheduledTotal" numeric(18,3) not null,
      "currency" text not null,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "schedulesOfValues_saleId_fkey" foreign key ("organizationId", "saleId") references "sales" ("organizationId", "id")
    )`.execute(db)
  await sql`create unique index "schedulesOfValues_saleId_key" on "schedulesOfValues" ("organizationId", "saleId")`.execute(
    db,
  )
  await sql`
    create table "applications" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "saleId" text collate "C" not null,
      "homeId" text collate "C",
      "number" integer not null,
      "periodTo" date not null,
      "status" text not null,
      "lines" jsonb not null,
      "retainagePercent" numeric(5,2) not null,
      "originalContractSum" numeric(18,3) not null,
      "netChange" numeric(18,3) not null,
      "contractSum" numeric(18,3) not null,
      "completedAndStored" numeric(18,3) not null,
      "retainage" numeric(18,3) not null,
      "earnedLessRetainage" numeric(18,3) not null,
      "previousCertificates" numeric(18,3) not null,
      "currentPaymentDue" numeric(18,3) not null,
      "balanceToFinish" numeric(18,3) not null,
      "certifiedAmount" numeric(18,3),
      "certifiedDate" date,
      "billedAmount" numeric(18,3),
      "receipts" jsonb not null,
      "receivedAmount" numeric(18,3) not null,
      "openAmount" numeric(18,3) not null,
      "currency" text not null,
      "reason" text,
      "notes" text,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "applications_saleId_fkey" foreign key ("organizationId", "saleId") references "sales" ("organizationId", "id")
    )`.execute(db)
  await sql`create unique index "applications_number_key" on "applications" ("organizationId", "saleId", "number")`.execute(
    db,
  )
  await sql`create index "applications_saleId" on "applications" ("organizationId", "saleId", "id")`.execute(db)
  await sql`create index "applications_updatedAt" on "applications" ("organizationId", "saleId", "updatedAt", "id")`.execute(
    db,
  )
  await sql`create index "applications_homeId" on "applications" ("organizationId", "homeId")`.execute(db)
  await sql`create unique index "applications_externalId_key" on "applications" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
}
