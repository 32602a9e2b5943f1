import { type Kysely, sql } from 'kysely'

// Portal addresses leave the events that were recorded with them, for whoever reads events may not act for a vendor. It
// is one statement, because all migrations of a start are one transaction anyway, before any request is taken: portions
// would hold the same locks just as long. A text that somebody wrote is not touched, for its quotes are escaped.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update "events" set "payload" = regexp_replace("payload", '"portalUrl":"[^"]*"', '"portalUrl":null', 'g')
    where "type" in ('bid_request.created', 'bid_request.sent', 'bid_request.updated')
      and "payload" like '%"portalUrl":"%'`.execute(db)
}
