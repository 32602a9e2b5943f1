import { type Kysely, sql } from 'kysely'

// Before the database deletes a row, it searches for rows that refer to it. These foreign keys had no index, so erasing
// a builder would have read an entire table for each row.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index "apiKeys_createdByUserId" on "apiKeys" ("organizationId", "createdByUserId")`.execute(db)
  await sql`create index "bids_invitationId" on "bids" ("organizationId", "invitationId")`.execute(db)
  await sql`create index "bids_communityId" on "bids" ("organizationId", "communityId")`.execute(db)
  await sql`
    create index "messages_inReplyToId" on "messages" ("organizationId", "inReplyToId")
    where "inReplyToId" is not null`.execute(db)
  await sql`
    create index "vendorNotifications_homeId" on "vendorNotifications" ("organizationId", "homeId")
    where "homeId" is not null`.execute(db)
  await sql`
    create index "vendorNotifications_bidRequestId" on "vendorNotifications" ("organizationId", "bidRequestId")
    where "bidRequestId" is not null`.execute(db)
}
