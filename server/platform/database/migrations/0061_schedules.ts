import { type Kysely, sql } from 'kysely'

/** Adds the dates of a home that depend on its schedule, and the dates of which vendors were last notified. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "homes"
      add column "forecastCompletionDate" date,
      add column "percentComplete" numeric(5,2) not null default 0`.execute(db)
  await sql`alter table "homes" alter column "percentComplete" drop default`.execute(db)

  await sql`
    alter table "vendorNotifications"
      add column "taskId" text collate "C",
      add column "tasks" jsonb not null default '[]',
      add constraint "vendorNotifications_taskId_fkey" foreign key ("organizationId", "taskId") references "tasks" ("organizationId", "id")`.execute(
    db,
  )
  await sql`alter table "vendorNotifications" alter column "tasks" drop default`.execute(db)
  await sql`create index "vendorNotifications_taskId" on "vendorNotifications" ("organizationId", "taskId") where "taskId" is not null`.execute(
    db,
  )
  await sql`alter table "vendorNotifications" drop column "bytes"`.execute(db)
  await sql`
    alter table "vendorNotifications" add column "bytes" integer not null generated always as
      (coalesce(octet_length("message"), 0) + 257 * cardinality("recipients") + octet_length("tasks"::text)) stored`.execute(
    db,
  )
}
