import { type Kysely, sql } from 'kysely'

/** Change orders with buyers, and the price changes that result from selections. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "buyerChanges" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "saleId" text collate "C" not null,
      "homeId" text collate "C" not null,
      "number" integer not null,
      "title" text not null,
      "source" text not null,
      "status" text not null,
      "lines" jsonb not null,
      "price" numeric(18,3) not null,
      "cost" numeric(18,3) not null,
      "currency" text not null,
      "description" text,
      "reason" text,
      "notes" text,
      "sentAt" timestamptz(3),
      "decidedDate" date,
      "approvedBy" jsonb,
      "approvedAt" timestamptz(3),
      "voidedAt" timestamptz(3),
      "scheduleLineId" text,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "buyerChanges_saleId_fkey" foreign key ("organizationId", "saleId") references "sales" ("organizationId", "id"),
      constraint "buyerChanges_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id")
    )`.execute(db)
  await sql`create unique index "buyerChanges_number_key" on "buyerChanges" ("organizationId", "saleId", "number")`.execute(
    db,
  )
  await sql`create index "buyerChanges_saleId" on "buyerChanges" ("organizationId", "saleId", "id")`.execute(db)
  await sql`create index "buyerChanges_updatedAt" on "buyerChanges" ("organizationId", "saleId", "updatedAt", "id")`.execute(
    db,
  )
  await sql`create index "buyerChanges_open" on "buyerChanges" ("organizationId", "homeId") where "status" in ('draft', 'sent')`.execute(
    db,
  )
  await sql`create unique index "buyerChanges_externalId_key" on "buyerChanges" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
}
