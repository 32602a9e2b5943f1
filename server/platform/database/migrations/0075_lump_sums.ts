import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "contracts" add column "lumpSums" jsonb not null default '[]'`.execute(db)
  await sql`alter table "contracts" alter column "lumpSums" drop default`.execute(db)
  // The size of a row, now including lump sums. The expression of a generated column cannot be changed, so drop the
  // column and create it again.
  await sql`alter table "contracts" drop column "bytes"`.execute(db)
  await sql`
    alter table "contracts"
      add column "bytes" integer not null generated always as (octet_length("lines"::text) + octet_length("lumpSums"::text)
        + coalesce(octet_length("notes"), 0) + 67 * (cardinality("communityIds") + cardinality("planIds"))) stored`.execute(
    db,
  )
  // The periods of all lump sums, including past periods. The vendor and the trade are stored in the contract.
  await sql`
    create table "lumpSums" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "contractId" text collate "C" not null,
      "place" integer not null,
      "lineId" text collate "C" not null,
      "communityId" text collate "C",
      "planId" text collate "C",
      "elevation" text,
      "optionId" text collate "C",
      "costCodeId" text collate "C",
      "description" text,
      "amount" numeric(12,2) not null,
      "effectiveDate" date not null,
      "expirationDate" date,
      primary key ("organizationId", "contractId", "place"),
      check (("planId" is null) <> ("optionId" is null)),
      constraint "lumpSums_contractId_fkey" foreign key ("organizationId", "contractId") references "contracts" ("organizationId", "id"),
      constraint "lumpSums_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id"),
      constraint "lumpSums_planId_fkey" foreign key ("organizationId", "planId") references "plans" ("organizationId", "id"),
      constraint "lumpSums_optionId_fkey" foreign key ("organizationId", "optionId") references "options" ("organizationId", "id"),
      constraint "lumpSums_costCodeId_fkey" foreign key ("organizationId", "costCodeId") references "costCodes" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "lumpSums_communityId" on "lumpSums" ("organizationId", "communityId") where "communityId" is not null`.execute(
    db,
  )
  await sql`create index "lumpSums_planId" on "lumpSums" ("organizationId", "planId", "communityId") where "planId" is not null`.execute(
    db,
  )
  await sql`create index "lumpSums_optionId" on "lumpSums" ("organizationId", "optionId", "communityId") where "optionId" is not null`.execute(
    db,
  )
  await sql`create index "lumpSums_costCodeId" on "lumpSums" ("organizationId", "costCodeId") where "costCodeId" is not null`.execute(
    db,
  )
}
