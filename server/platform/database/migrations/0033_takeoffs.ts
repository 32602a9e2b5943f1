import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Lines have no IDs, because a takeoff is always replaced entirely, and read in the order in which it was sent.
  await sql`
    create table "takeoffLines" (
      "organizationId" text collate "C" not null,
      "planId" text collate "C" not null,
      "revision" integer not null,
      "place" integer not null,
      "lineId" text not null,
      "elevation" text,
      "partId" text collate "C" not null,
      "quantity" numeric(14,4),
      "formula" text,
      "wastePercent" numeric(5,2) not null,
      "costCodeId" text collate "C",
      "taskName" text,
      primary key ("organizationId", "planId", "revision", "place"),
      constraint "takeoffLines_planId_fkey" foreign key ("organizationId", "planId") references "plans" ("organizationId", "id"),
      constraint "takeoffLines_partId_fkey" foreign key ("organizationId", "partId") references "parts" ("organizationId", "id"),
      constraint "takeoffLines_costCodeId_fkey" foreign key ("organizationId", "costCodeId") references "costCodes" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "takeoffLines_partId" on "takeoffLines" ("organizationId", "partId")`.execute(db)
  await sql`create index "takeoffLines_costCodeId" on "takeoffLines" ("organizationId", "costCodeId") where "costCodeId" is not null`.execute(
    db,
  )
}
