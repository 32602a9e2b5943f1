import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "saleNumbers" (
      "organizationId" text collate "C" primary key references "organizations" ("id"),
      "last" integer not null
    )`.execute(db)
  await sql`
    create table "sales" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "number" text collate "C" not null,
      "leadId" text collate "C",
      "buyers" jsonb not null,
      "homeId" text collate "C",
      "communityId" text collate "C",
      "block" text,
      "lotNumber" text,
      "planId" text collate "C",
      "elevation" text,
      "salesRepId" text collate "C",
      "saleDate" date not null,
      "basePrice" numeric(14,2) not null,
      "lotPremium" numeric(14,2) not null,
      "agreedOptions" jsonb not null,
      "optionsFixed" numeric(14,2) not null default 0,
      "incentives" numeric(14,2) not null,
      "discounts" numeric(14,2) not null,
      "currency" text not null,
      "deposits" jsonb not null,
      "depositsReceived" numeric(14,2) not null,
      "depositsOutstanding" numeric(14,2) not null,
      "contingencies" jsonb not null,
      "openContingencies" integer not null,
      "financing" jsonb,
      "targetCloseDate" date,
      "pipeline" jsonb not null,
      "stage" text,
      "status" text not null,
      "approvedBy" jsonb,
      "approvedAt" timestamptz(3),
      "completedAt" timestamptz(3),
      "cancelledAt" timestamptz(3),
      "cancelReason" text,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "sales_number_key" unique ("organizationId", "number"),
      constraint "sales_leadId_fkey" foreign key ("organizationId", "leadId") references "leads" ("organizationId", "id"),
      constraint "sales_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "sales_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id"),
      constraint "sales_planId_fkey" foreign key ("organizationId", "planId") references "plans" ("organizationId", "id"),
      constraint "sales_salesRepId_fkey" foreign key ("organizationId", "salesRepId") references "users" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "sales_updatedAt" on "sales" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "sales_saleDate" on "sales" ("organizationId", "saleDate", "id")`.execute(db)
  await sql`create index "sales_status" on "sales" ("organizationId", "status", "id")`.execute(db)
  await sql`create index "sales_stage" on "sales" ("organizationId", "stage", "id") where "stage" is not null`.execute(
    db,
  )
  for (const column of ['leadId', 'homeId', 'planId', 'salesRepId', 'communityId']) {
    await sql`create index ${sql.id(`sales_${column}`)} on "sales" ("organizationId", ${sql.id(column)}, "id") where ${sql.id(column)} is not null`.execute(
      db,
    )
  }
  // A safeguard: a home or a lot can have only one sale that is not canceled.
  await sql`
    create unique index "sales_homeId_key" on "sales" ("organizationId", "homeId")
    where "homeId" is not null and "status" <> 'cancelled'`.execute(db)
  await sql`
    create unique index "sales_lotNumber_key" on "sales" ("organizationId", "communityId", coalesce("block", ''), "lotNumber")
    where "lotNumber" is not null and "status" <> 'cancelled'`.execute(db)
  await sql`create unique index "sales_externalId_key" on "sales" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )

  // The ID of the sale is stored on the home, so that homes can be filtered by sales status. The ID is not a foreign
  // key, because sales have a foreign key to their home.
  await sql`
    alter table "homes" add column "saleId" text collate "C", add column "saleStatus" text,
      add column "saleAmount" numeric(14,2),
      add column "salesStatus" text not null generated always as (case
        when "status" in ('closed', 'warranty', 'archived') then 'sold'
        when "status" = 'cancelled' or "archivedAt" is not null then 'unavailable'
        when "saleStatus" = 'pending' then 'reserved'
        when "saleStatus" in ('approved', 'pipeline_complete') then 'under_contract'
        when "homeType" = 'model' then 'unavailable'
        else 'available' end) stored`.execute(db)
  await sql`create index "homes_salesStatus" on "homes" ("organizationId", "salesStatus", "id")`.execute(db)
}
