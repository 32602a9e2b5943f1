import { type Kysely, sql } from 'kysely'

// A response that is too large to keep is stored without its body. If it contained a single record, that record's ID is
// kept, so that a repeat can read it again.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "idempotencyRecords" alter column "body" drop not null, add column "resourceId" text`.execute(db)
  // Finds the latest price of each of many vendors in a trade with one index lookup per vendor.
  await sql`
    create index "bids_lastPrice" on "bids" ("organizationId", "vendorId", "scope", "submittedAt", "id")
    where "status" <> 'withdrawn'`.execute(db)
}
