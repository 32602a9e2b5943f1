import { type Kysely, sql } from 'kysely'

/** Construction loans for homes, and their draws. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "loans" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "homeId" text collate "C" not null,
      "communityId" text collate "C" not null,
      "lender" text not null,
      "limitAmount" numeric(18,3) not null,
      "currency" text not null,
      "notes" text,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id"),
      constraint "loans_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "loans_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "loans_updatedAt" on "loans" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "loans_createdAt" on "loans" ("organizationId", "createdAt", "id")`.execute(db)
  await sql`create index "loans_homeId" on "loans" ("organizationId", "homeId", "id")`.execute(db)
  await sql`create index "loans_communityId" on "loans" ("organizationId", "communityId", "id")`.execute(db)
  await sql`create unique index "loans_externalId_key" on "loans" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
  await sql`
    create table "loanDraws" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "loanId" text collate "C" not null,
      "homeId" text collate "C" not null,
      "milestoneId" text collate "C",
      "number" integer not null,
      "status" text not null,
      "requestedAmount" numeric(18,3) not null,
      "requestedDate" date not null,
      "fundedAmount" numeric(18,3),
      "fundedDate" date,
      "repaidDate" date,
      "reason" text,
      "currency" text not null,
      "notes" text,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "loanDraws_loanId_fkey" foreign key ("organizationId", "loanId") references "loans" ("organizationId", "id"),
      constraint "loanDraws_milestoneId_fkey" foreign key ("organizationId", "milestoneId") references "milestones" ("organizationId", "id")
    )`.execute(db)
  await sql`create unique index "loanDraws_number_key" on "loanDraws" ("organizationId", "loanId", "number")`.execute(
    db,
  )
  await sql`create index "loanDraws_loanId" on "loanDraws" ("organizationId", "loanId", "id")`.execute(db)
  await sql`create index "loanDraws_updatedAt" on "loanDraws" ("organizationId", "loanId", "updatedAt", "id")`.execute(
    db,
  )
  await sql`create index "loanDraws_homeId" on "loanDraws" ("organizationId", "homeId", "id")`.execute(db)
  // Each milestone has at most one draw, ignoring draws that the lender has rejected.
  await sql`
    create unique index "loanDraws_milestoneId_key" on "loanDraws" ("organizationId", "milestoneId")
    where "status" <> 'rejected' and "milestoneId" is not null`.execute(db)
  await sql`create unique index "loanDraws_externalId_key" on "loanDraws" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
}
