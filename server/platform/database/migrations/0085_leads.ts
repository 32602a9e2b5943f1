import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // A sale has a foreign key to its lead, so a lead has no foreign key to its sale. If both tables referred to each
  // other, neither of them could be erased first.
  await sql`
    create table "leads" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "firstName" text,
      "lastName" text,
      "email" text,
      "phone" text,
      "source" text not null,
      "communityIds" text[] collate "C" not null,
      "planIds" text[] collate "C" not null,
      "budgetMin" numeric(14,2),
      "budgetMax" numeric(14,2),
      "desiredMoveIn" date,
      "ownerUserId" text collate "C",
      "nextActivityAt" timestamptz(3),
      "lastActivityAt" timestamptz(3) not null,
      "score" integer not null,
      "scoreReasons" jsonb not null,
      "status" text not null,
      "lostReason" text,
      "convertedSaleId" text collate "C",
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id"),
      constraint "leads_ownerUserId_fkey" foreign key ("organizationId", "ownerUserId") references "users" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "leads_updatedAt" on "leads" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "leads_score" on "leads" ("organizationId", "score", "id")`.execute(db)
  await sql`create index "leads_status" on "leads" ("organizationId", "status", "id")`.execute(db)
  await sql`create index "leads_source" on "leads" ("organizationId", "source", "id")`.execute(db)
  await sql`create index "leads_ownerUserId" on "leads" ("organizationId", "ownerUserId", "id") where "ownerUserId" is not null`.execute(
    db,
  )
  await sql`create index "leads_nextActivityAt" on "leads" ("organizationId", "nextActivityAt", "id") where "nextActivityAt" is not null`.execute(
    db,
  )
  await sql`create index "leads_lastActivityAt" on "leads" ("organizationId", "lastActivityAt", "id")`.execute(db)
  await sql`create unique index "leads_externalId_key" on "leads" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )

  await sql`
    create table "leadActivities" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "leadId" text collate "C" not null,
      "activityType" text not null,
      "occurredAt" timestamptz(3) not null,
      "notes" text,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "leadActivities_leadId_fkey" foreign key ("organizationId", "leadId") references "leads" ("organizationId", "id")
    )`.execute(db)
  // A lead has a limited number of activities, so an index by lead is sufficient for all filters and sort orders.
  await sql`create index "leadActivities_leadId" on "leadActivities" ("organizationId", "leadId", "id")`.execute(db)
  await sql`create unique index "leadActivities_externalId_key" on "leadActivities" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
}
