import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // The IDs of the tasks are stored in the row, because milestones are read by home, and a home has at most a few
  // dozen.
  await sql`
    create table "milestones" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "homeId" text collate "C" not null,
      "communityId" text collate "C" not null,
      "name" text not null,
      "milestoneType" text not null,
      "status" text not null,
      "targetDate" date,
      "completedDate" date,
      "completedByTasks" boolean not null,
      "taskIds" text[] collate "C" not null,
      "autoComplete" boolean not null,
      "drawPercent" numeric(5,2),
      "drawAmount" numeric(14,2),
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      "targetOrder" date not null generated always as (coalesce("targetDate", date '9999-12-31')) stored,
      primary key ("organizationId", "id"),
      constraint "milestones_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "milestones_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "milestones_updatedAt" on "milestones" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "milestones_targetOrder" on "milestones" ("organizationId", "targetOrder", "id")`.execute(db)
  await sql`create index "milestones_homeId" on "milestones" ("organizationId", "homeId", "id")`.execute(db)
  await sql`create index "milestones_communityId" on "milestones" ("organizationId", "communityId", "targetOrder", "id")`.execute(
    db,
  )
  // Only a small part of all milestones is pending. Lists of late milestones read only these milestones.
  await sql`
    create index "milestones_pending" on "milestones" ("organizationId", "targetOrder", "id")
    where "status" = 'pending'`.execute(db)
  await sql`create unique index "milestones_externalId_key" on "milestones" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
}
