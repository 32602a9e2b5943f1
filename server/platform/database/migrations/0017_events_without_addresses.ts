import { type Kysely, sql } from 'kysely'

// Removes portal links from recorded events, because not all users who can read events may act for a vendor. A single
// statement is sufficient. All pending migrations are executed in one transaction, so batches would hold the same locks
// for the same time. Texts that users have written are not affected, because their quotes are escaped.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update "events" set "payload" = regexp_replace("payload", '"portalUrl":"[^"]*"', '"portalUrl":null', 'g')
    where "type" in ('bid_request.created', 'bid_request.sent', 'bid_request.updated')
      and "payload" like '%"portalUrl":"%'`.execute(db)
}
