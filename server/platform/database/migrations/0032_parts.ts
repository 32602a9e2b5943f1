import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "parts" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "sku" text not null,
      "name" text not null,
      "description" text,
      "unit" text not null,
      "scope" text,
      "costCodeId" text collate "C",
      "manufacturer" text,
      "leadTimeDays" integer,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id"),
      constraint "parts_costCodeId_fkey" foreign key ("organizationId", "costCodeId") references "costCodes" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "parts_updatedAt" on "parts" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "parts_sku" on "parts" ("organizationId", "sku", "id")`.execute(db)
  await sql`create index "parts_name" on "parts" ("organizationId", "name", "id")`.execute(db)
  await sql`create index "parts_scope" on "parts" ("organizationId", "scope", "id")`.execute(db)
  await sql`create index "parts_costCodeId" on "parts" ("organizationId", "costCodeId", "id")`.execute(db)
  await sql`create unique index "parts_sku_key" on "parts" ("organizationId", "sku") where "archivedAt" is null`.execute(
    db,
  )
  await sql`create unique index "parts_externalId_key" on "parts" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )

  await sql`
    create table "prices" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "partId" text collate "C" not null,
      "vendorId" text collate "C" not null,
      "communityId" text collate "C",
      "planId" text collate "C",
      "unitPrice" numeric(14,4) not null,
      "effectiveDate" date not null,
      "expirationDate" date,
      "minQuantity" numeric(14,4) not null,
      "preferred" boolean not null,
      "note" text,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id"),
      constraint "prices_partId_fkey" foreign key ("organizationId", "partId") references "parts" ("organizationId", "id"),
      constraint "prices_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id"),
      constraint "prices_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id"),
      constraint "prices_planId_fkey" foreign key ("organizationId", "planId") references "plans" ("organizationId", "id")
    )`.execute(db)
  // A part has few prices, so an index by part is sufficient for all sort orders.
  await sql`create index "prices_partId" on "prices" ("organizationId", "partId", "id")`.execute(db)
  await sql`create index "prices_vendorId" on "prices" ("organizationId", "vendorId", "id")`.execute(db)
  await sql`create index "prices_communityId" on "prices" ("organizationId", "communityId") where "communityId" is not null`.execute(
    db,
  )
  await sql`create index "prices_planId" on "prices" ("organizationId", "planId") where "planId" is not null`.execute(
    db,
  )
  await sql`create unique index "prices_externalId_key" on "prices" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
}
