import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "contractNumbers" (
      "organizationId" text collate "C" primary key references "organizations" ("id"),
      "last" integer not null
    )`.execute(db)
  await sql`
    create table "contracts" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "number" text collate "C" not null,
      "revision" integer not null,
      "status" text not null,
      "vendorId" text collate "C" not null,
      "scope" text not null,
      "contractType" text not null,
      "communityIds" text[] collate "C" not null,
      "planIds" text[] collate "C" not null,
      "effectiveDate" date not null,
      "expirationDate" date,
      "preferred" boolean not null,
      "retainagePercent" numeric(5,2) not null,
      "lines" jsonb not null,
      "bidId" text collate "C",
      "notes" text,
      "accountingId" text,
      "externalId" text,
      "activatedAt" timestamptz(3),
      "endedAt" timestamptz(3),
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      "bytes" integer not null generated always as (octet_length("lines"::text) + coalesce(octet_length("notes"), 0)
        + 67 * (cardinality("communityIds") + cardinality("planIds"))) stored,
      primary key ("organizationId", "id"),
      constraint "contracts_revision_key" unique ("organizationId", "number", "revision"),
      constraint "contracts_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id"),
      constraint "contracts_bidId_fkey" foreign key ("organizationId", "bidId") references "bids" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "contracts_updatedAt" on "contracts" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "contracts_number" on "contracts" ("organizationId", "number", "id")`.execute(db)
  await sql`create index "contracts_effectiveDate" on "contracts" ("organizationId", "effectiveDate", "id")`.execute(db)
  await sql`create index "contracts_expirationDate" on "contracts" ("organizationId", "expirationDate", "id")`.execute(
    db,
  )
  await sql`create index "contracts_vendorId" on "contracts" ("organizationId", "vendorId", "id")`.execute(db)
  await sql`create index "contracts_bidId" on "contracts" ("organizationId", "bidId") where "bidId" is not null`.execute(
    db,
  )
  await sql`create index "contracts_accountingId" on "contracts" ("organizationId", "accountingId") where "accountingId" is not null`.execute(
    db,
  )
  await sql`create unique index "contracts_externalId_key" on "contracts" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
  // This small index finds the next contract to expire among all organizations.
  await sql`create index "contracts_due" on "contracts" ("expirationDate") where "status" = 'active' and "expirationDate" is not null`.execute(
    db,
  )

  await sql`
    alter table "prices"
      add column "contractId" text collate "C",
      add column "contractLineId" text,
      add constraint "prices_contractId_fkey" foreign key ("organizationId", "contractId") references "contracts" ("organizationId", "id")`.execute(
    db,
  )
  await sql`create index "prices_contractId" on "prices" ("organizationId", "contractId") where "contractId" is not null`.execute(
    db,
  )
}
