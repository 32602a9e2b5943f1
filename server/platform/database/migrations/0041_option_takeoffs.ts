import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // The takeoff of an option is always replaced entirely, like that of a plan.
  await sql`
    create table "optionTakeoffLines" (
      "organizationId" text collate "C" not null,
      "optionId" text collate "C" not null,
      "place" integer not null,
      "lineId" text not null,
      "planId" text collate "C",
      "elevation" text,
      "partId" text collate "C" not null,
      "quantity" numeric(14,4),
      "formula" text,
      "wastePercent" numeric(5,2) not null,
      "costCodeId" text collate "C",
      "taskName" text,
      primary key ("organizationId", "optionId", "place"),
      constraint "optionTakeoffLines_optionId_fkey" foreign key ("organizationId", "optionId") references "options" ("organizationId", "id"),
      constraint "optionTakeoffLines_planId_fkey" foreign key ("organizationId", "planId") references "plans" ("organizationId", "id"),
      constraint "optionTakeoffLines_partId_fkey" foreign key ("organizationId", "partId") references "parts" ("organizationId", "id"),
      constraint "optionTakeoffLines_costCodeId_fkey" foreign key ("organizationId", "costCodeId") references "costCodes" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "optionTakeoffLines_planId" on "optionTakeoffLines" ("organizationId", "planId") where "planId" is not null`.execute(
    db,
  )
  await sql`create index "optionTakeoffLines_partId" on "optionTakeoffLines" ("organizationId", "partId")`.execute(db)
  await sql`create index "optionTakeoffLines_costCodeId" on "optionTakeoffLines" ("organizationId", "costCodeId") where "costCodeId" is not null`.execute(
    db,
  )
}
