import { type Kysely, sql } from 'kysely'

/** Journals that users enter in the ledger, and the closed periods. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "journalNumbers" (
      "organizationId" text collate "C" primary key references "organizations" ("id"),
      "last" integer not null
    )`.execute(db)
  await sql`
    create table "journals" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "number" text collate "C" not null,
      "journalType" text not null check ("journalType" in ('journal', 'transfer', 'reversal')),
      "effectiveDate" date not null,
      "note" text not null,
      "lines" jsonb not null,
      "amount" numeric(18,3) not null,
      "currency" text not null,
      "reversesEntryId" text collate "C",
      "reversedByEntryId" text collate "C",
      "accountingId" text,
      "bytes" integer not null generated always as (octet_length("lines"::text)) stored,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "journals_number_key" unique ("organizationId", "number")
    )`.execute(db)
  await sql`create index "journals_updatedAt" on "journals" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`
    create unique index "journals_accountingId_key" on "journals" ("organizationId", "accountingId")
    where "accountingId" is not null`.execute(db)
  await sql`
    create table "periodCloses" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "fromDate" date,
      "throughDate" date not null,
      "status" text not null check ("status" in ('closed', 'reopened')),
      "postingCount" integer not null,
      "digest" text not null,
      "balances" jsonb not null,
      "unapprovedTimesheetCount" integer not null,
      "reopenedAt" timestamptz(3),
      "reopenedBy" jsonb,
      "reopenReason" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id")
    )`.execute(db)
  await sql`create index "periodCloses_updatedAt" on "periodCloses" ("organizationId", "updatedAt", "id")`.execute(db)
}
