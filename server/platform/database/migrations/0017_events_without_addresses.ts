import { type Kysely, sql } from 'kysely'

// Removes portal links from recorded events, because not every user who can read events may act for a vendor. A single
// statement is enough. All pending migrations run in one transaction before any request is accepted, so batches would
// hold the same locks equally long. Texts written by users are not affected, because their quotes are escaped.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update "events" set "payload" = regexp_replace("payload", '"portalUrl":"[^"]*"', '"portalUrl":null', 'g')
    where "type" in ('bid_request.created', 'bid_request.sent', 'bid_request.updated')
      and "payload" like '%"portalUrl":"%'`.execute(db)
}
