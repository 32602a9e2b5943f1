import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "communities" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "name" text not null,
      "code" text,
      "accountingId" text,
      "externalId" text,
      "status" text not null,
      "city" text,
      "state" text,
      "postalCode" text,
      "timeZone" text not null,
      "lotCount" integer,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id")
    )`.execute(db)
  await sql`create index "communities_updatedAt" on "communities" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "communities_name" on "communities" ("organizationId", "name", "id")`.execute(db)
  // The code of an archived community can be used again, because codes are short and there are few of them.
  await sql`create unique index "communities_code_key" on "communities" ("organizationId", "code") where "archivedAt" is null`.execute(
    db,
  )
  await sql`create unique index "communities_externalId_key" on "communities" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
  await sql`create index "communities_accountingId" on "communities" ("organizationId", "accountingId") where "accountingId" is not null`.execute(
    db,
  )

  await sql`
    create table "homes" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "name" text not null,
      "communityId" text collate "C" not null,
      "lotNumber" text,
      "block" text,
      "homeType" text not null,
      "address" jsonb,
      "accountingId" text,
      "externalId" text,
      "status" text not null,
      "statusBeforeHold" text,
      "startDate" date,
      "actualCompletionDate" date,
      "closingDate" date,
      "budgetLockedAt" timestamptz(3),
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id"),
      constraint "homes_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "homes_updatedAt" on "homes" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "homes_name" on "homes" ("organizationId", "name", "id")`.execute(db)
  await sql`create index "homes_communityId" on "homes" ("organizationId", "communityId", "id")`.execute(db)
  await sql`create unique index "homes_externalId_key" on "homes" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
  await sql`create index "homes_accountingId" on "homes" ("organizationId", "accountingId") where "accountingId" is not null`.execute(
    db,
  )
  // A lot has at most one home. A canceled home, or a home that was archived before construction, no longer occupies
  // its lot. The condition must match LOT_IS_TAKEN_SQL in server/domain/land/communities/queries.ts.
  await sql`
    create unique index "homes_lotNumber_key" on "homes" ("organizationId", "communityId", coalesce("block", ''), "lotNumber")
    where "lotNumber" is not null and "status" <> 'cancelled' and ("archivedAt" is null or "status" = 'archived')`.execute(
    db,
  )

  await sql`
    create table "budgetLines" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "homeId" text collate "C" not null,
      "scope" text not null,
      "description" text,
      "quantity" numeric(14,4),
      "unit" text,
      "unitCost" numeric(14,4),
      "originalAmount" numeric(14,2) not null,
      "approvedChanges" numeric(14,2) not null,
      "budgeted" numeric(14,2) not null generated always as ("originalAmount" + "approvedChanges") stored,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id"),
      constraint "budgetLines_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "budgetLines_homeId" on "budgetLines" ("organizationId", "homeId", "id")`.execute(db)
  await sql`create index "budgetLines_updatedAt" on "budgetLines" ("organizationId", "homeId", "updatedAt", "id")`.execute(
    db,
  )
}
