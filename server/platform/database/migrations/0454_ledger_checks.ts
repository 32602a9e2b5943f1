import { type Kysely, sql } from 'kysely'

/** The time at which each builder's ledger was last compared with its records, and the differences. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "ledgerChecks" (
      "organizationId" text collate "C" primary key references "organizations" ("id"),
      "checkedAt" timestamptz(3) not null
    )`.execute(db)
  await sql`
    create table "ledgerDifferences" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "recordId" text collate "C" not null,
      "measure" text not null,
      "label" text not null,
      "posted" numeric(18,3) not null,
      "expected" numeric(18,3) not null,
      primary key ("organizationId", "recordId", "measure")
    )`.execute(db)
}
