import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "options" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "code" text not null,
      "name" text not null,
      "description" text,
      "category" text,
      "optionType" text not null,
      "planIds" text[] collate "C" not null,
      "communityIds" text[] collate "C" not null,
      "unit" text not null,
      "price" numeric(14,2),
      "marginPercent" numeric(5,2),
      "costBasis" text not null,
      "cost" numeric(14,2),
      "scope" text,
      "costCodeId" text collate "C",
      "cutoffDaysBeforeStart" integer,
      "cutoffTaskName" text,
      "requiresOptionIds" text[] collate "C" not null,
      "excludesOptionIds" text[] collate "C" not null,
      "linkCount" integer not null generated always as (cardinality("requiresOptionIds") + cardinality("excludesOptionIds")) stored,
      "externalId" text,
      "status" text not null,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id"),
      constraint "options_costCodeId_fkey" foreign key ("organizationId", "costCodeId") references "costCodes" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "options_updatedAt" on "options" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "options_code" on "options" ("organizationId", "code", "id")`.execute(db)
  await sql`create index "options_name" on "options" ("organizationId", "name", "id")`.execute(db)
  await sql`create index "options_category" on "options" ("organizationId", "category", "id")`.execute(db)
  await sql`create index "options_cutoffTaskName" on "options" ("organizationId", "cutoffTaskName", "id") where "cutoffTaskName" is not null`.execute(
    db,
  )
  await sql`create index "options_costCodeId" on "options" ("organizationId", "costCodeId") where "costCodeId" is not null`.execute(
    db,
  )
  // Few options require or exclude others. This index finds these options, which are checked together.
  await sql`create index "options_linkCount" on "options" ("organizationId", "linkCount") where "archivedAt" is null`.execute(
    db,
  )
  await sql`create unique index "options_code_key" on "options" ("organizationId", "code") where "archivedAt" is null`.execute(
    db,
  )
  await sql`create unique index "options_externalId_key" on "options" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
}
