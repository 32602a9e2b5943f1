import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Links between tasks are stored in the row of a task, because a schedule is always read and locked as a whole,
  // together with its home.
  await sql`
    create table "tasks" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "homeId" text collate "C" not null,
      "communityId" text collate "C" not null,
      "name" text not null,
      "scope" text,
      "phase" text,
      "sequence" integer not null,
      "taskKind" text not null,
      "vendorId" text collate "C",
      "assigneeUserId" text collate "C",
      "status" text not null,
      "durationDays" integer not null,
      "plannedStart" date not null,
      "plannedEnd" date not null,
      "constraint" jsonb not null,
      "predecessors" jsonb not null,
      "baselineStart" date,
      "baselineEnd" date,
      "actualStart" date,
      "actualEnd" date,
      "percentComplete" numeric(5,2) not null,
      "earlyStart" date not null,
      "earlyFinish" date not null,
      "lateStart" date not null,
      "lateFinish" date not null,
      "totalFloatDays" integer,
      "isCritical" boolean not null,
      "notifiedStart" date,
      "checklist" jsonb not null,
      "inspectionResult" text,
      "delays" jsonb not null,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      "bytes" integer not null generated always as (octet_length("predecessors"::text) + octet_length("checklist"::text) + octet_length("delays"::text)) stored,
      primary key ("organizationId", "id"),
      constraint "tasks_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "tasks_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id"),
      constraint "tasks_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id"),
      constraint "tasks_assigneeUserId_fkey" foreign key ("organizationId", "assigneeUserId") references "users" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "tasks_updatedAt" on "tasks" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "tasks_plannedStart" on "tasks" ("organizationId", "plannedStart", "id")`.execute(db)
  await sql`create index "tasks_homeId" on "tasks" ("organizationId", "homeId", "id")`.execute(db)
  await sql`create index "tasks_communityId" on "tasks" ("organizationId", "communityId", "plannedStart", "id")`.execute(
    db,
  )
  await sql`create index "tasks_vendorId" on "tasks" ("organizationId", "vendorId", "plannedStart", "id")`.execute(db)
  await sql`create index "tasks_assigneeUserId" on "tasks" ("organizationId", "assigneeUserId", "plannedStart", "id")`.execute(
    db,
  )
  await sql`create index "tasks_scope" on "tasks" ("organizationId", "scope", "plannedStart", "id")`.execute(db)
  // Only a small part of all tasks is open. Lists of upcoming and late tasks read only these tasks.
  await sql`
    create index "tasks_open" on "tasks" ("organizationId", "plannedStart", "id")
    where "status" in ('not_started', 'in_progress', 'on_hold')`.execute(db)
  await sql`
    create index "tasks_openInCommunity" on "tasks" ("organizationId", "communityId", "plannedStart", "id")
    where "status" in ('not_started', 'in_progress', 'on_hold')`.execute(db)
  await sql`create unique index "tasks_externalId_key" on "tasks" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
}
