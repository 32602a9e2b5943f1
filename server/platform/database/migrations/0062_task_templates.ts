import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // The rows are stored as JSON, because a template is always read and replaced as a whole.
  await sql`
    create table "taskTemplates" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "name" text not null,
      "planId" text collate "C",
      "communityId" text collate "C",
      "taskCount" integer not null,
      "workdays" integer not null,
      "rows" jsonb not null,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      "bytes" integer not null generated always as (octet_length("rows"::text)) stored,
      primary key ("organizationId", "id"),
      constraint "taskTemplates_planId_fkey" foreign key ("organizationId", "planId") references "plans" ("organizationId", "id"),
      constraint "taskTemplates_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "taskTemplates_updatedAt" on "taskTemplates" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "taskTemplates_name" on "taskTemplates" ("organizationId", "name", "id")`.execute(db)
  await sql`create index "taskTemplates_planId" on "taskTemplates" ("organizationId", "planId", "communityId", "id")`.execute(
    db,
  )
  await sql`create index "taskTemplates_communityId" on "taskTemplates" ("organizationId", "communityId", "id")`.execute(
    db,
  )

  await sql`alter table "communities" add column "startsPerWeekTarget" integer`.execute(db)
}
