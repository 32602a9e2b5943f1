import { type Kysely, sql } from 'kysely'

// An answer that is too large to be kept leaves no body; where it showed one record, that record's id stays, so that a
// repeat can read it again.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "idempotencyRecords" alter column "body" drop not null, add column "resourceId" text`.execute(db)
  // What each of many vendors asked for last in a trade is one step into this for each of them.
  await sql`
    create index "bids_lastPrice" on "bids" ("organizationId", "vendorId", "scope", "submittedAt", "id")
    where "status" <> 'withdrawn'`.execute(db)
}
