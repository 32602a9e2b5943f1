import { type Kysely, sql } from 'kysely'

// If a response is too large to keep, it is stored without its body. If the response contained a single record, the ID
// of that record is kept, so that a repeated request can read the record again.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "idempotencyRecords" alter column "body" drop not null, add column "resourceId" text`.execute(db)
  // Finds the latest price of each of many vendors in a trade with one index lookup per vendor.
  await sql`
    create index "bids_lastPrice" on "bids" ("organizationId", "vendorId", "scope", "submittedAt", "id")
    where "status" <> 'withdrawn'`.execute(db)
}
