import { type Kysely, sql } from 'kysely'

// Notifications came into being before the bid requests that they may be about.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "vendorNotifications"
      add constraint "vendorNotifications_bidRequestId_fkey"
      foreign key ("organizationId", "bidRequestId") references "bidRequests" ("organizationId", "id")`.execute(db)
}
