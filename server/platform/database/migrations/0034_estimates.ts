import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "budgetLines"
      add column "costCodeId" text collate "C",
      add column "source" text not null default 'manual',
      add column "takeoffLineId" text,
      add column "partId" text collate "C",
      add column "priceId" text collate "C",
      add constraint "budgetLines_costCodeId_fkey" foreign key ("organizationId", "costCodeId") references "costCodes" ("organizationId", "id"),
      add constraint "budgetLines_partId_fkey" foreign key ("organizationId", "partId") references "parts" ("organizationId", "id"),
      add constraint "budgetLines_priceId_fkey" foreign key ("organizationId", "priceId") references "prices" ("organizationId", "id")`.execute(
    db,
  )
  await sql`alter table "budgetLines" alter column "source" drop default`.execute(db)
  // Each takeoff line has at most one budget line, so that the next estimate finds the budget line of the previous
  // estimate.
  await sql`
    create unique index "budgetLines_takeoffLineId_key" on "budgetLines" ("organizationId", "homeId", "takeoffLineId")
    where "source" = 'base'`.execute(db)
  await sql`create index "budgetLines_costCodeId" on "budgetLines" ("organizationId", "costCodeId") where "costCodeId" is not null`.execute(
    db,
  )
  await sql`create index "budgetLines_partId" on "budgetLines" ("organizationId", "partId") where "partId" is not null`.execute(
    db,
  )
  await sql`create index "budgetLines_priceId" on "budgetLines" ("organizationId", "priceId") where "priceId" is not null`.execute(
    db,
  )
}
