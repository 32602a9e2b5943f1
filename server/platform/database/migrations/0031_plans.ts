import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "plans" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "code" text not null,
      "name" text not null,
      "communityIds" text[] collate "C" not null,
      "externalId" text,
      "status" text not null,
      "revision" integer not null,
      "releasedRevision" integer,
      "squareFeet" integer,
      "bedrooms" integer,
      "bathrooms" numeric(7,4),
      "garageSpaces" integer,
      "stories" integer,
      "basePrice" numeric(14,2),
      "figures" jsonb not null,
      "elevations" jsonb not null,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id")
    )`.execute(db)
  await sql`create index "plans_updatedAt" on "plans" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "plans_code" on "plans" ("organizationId", "code", "id")`.execute(db)
  await sql`create index "plans_name" on "plans" ("organizationId", "name", "id")`.execute(db)
  await sql`create unique index "plans_code_key" on "plans" ("organizationId", "code") where "archivedAt" is null`.execute(
    db,
  )
  await sql`create unique index "plans_externalId_key" on "plans" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )

  // The released revisions of plans. These rows never change.
  await sql`
    create table "planRevisions" (
      "organizationId" text collate "C" not null,
      "id" text collate "C" not null,
      "planId" text collate "C" not null,
      "revision" integer not null,
      "squareFeet" integer,
      "bedrooms" integer,
      "bathrooms" numeric(7,4),
      "garageSpaces" integer,
      "stories" integer,
      "basePrice" numeric(14,2),
      "figures" jsonb not null,
      "elevations" jsonb not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "planRevisions_revision_key" unique ("organizationId", "planId", "revision"),
      constraint "planRevisions_planId_fkey" foreign key ("organizationId", "planId") references "plans" ("organizationId", "id")
    )`.execute(db)

  await sql`
    alter table "homes"
      add column "planId" text collate "C",
      add column "planRevision" integer,
      add column "elevation" text,
      add column "swing" text,
      add constraint "homes_planId_fkey" foreign key ("organizationId", "planId", "planRevision")
        references "planRevisions" ("organizationId", "planId", "revision")`.execute(db)
  await sql`create index "homes_planId" on "homes" ("organizationId", "planId", "planRevision", "id")`.execute(db)
}
