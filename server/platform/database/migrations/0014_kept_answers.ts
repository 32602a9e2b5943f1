import { type Kysely, sql } from 'kysely'

// A response that is too large is stored without its body. If it consisted of a single record, the ID of the record is
// stored, so that a repeated request can return the record.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "idempotencyRecords" alter column "body" drop not null, add column "resourceId" text`.execute(db)
  // For each of many vendors, finds the latest price in a trade with one index lookup.
  await sql`
    create index "bids_lastPrice" on "bids" ("organizationId", "vendorId", "scope", "submittedAt", "id")
    where "status" <> 'withdrawn'`.execute(db)
}
