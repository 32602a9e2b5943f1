import { type Kysely, sql } from 'kysely'

/** Adds the accounting state of each record, including the last error when it was entered in the accounting system. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "ledgerStates" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "recordId" text collate "C" not null,
      "type" text collate "C" not null,
      "version" integer,
      "syncedAt" timestamptz(3),
      "failedVersion" integer,
      "error" text,
      "attempts" integer,
      "retryAt" timestamptz(3),
      primary key ("organizationId", "recordId")
    )`.execute(db)
  await sql`create index "ledgerStates_retryAt" on "ledgerStates" ("organizationId", "retryAt", "recordId") where "retryAt" is not null`.execute(
    db,
  )
}
