import { type Kysely, sql } from 'kysely'

// Notifications refer to bid requests, whose table was created after that of notifications.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "vendorNotifications"
      add constraint "vendorNotifications_bidRequestId_fkey"
      foreign key ("organizationId", "bidRequestId") references "bidRequests" ("organizationId", "id")`.execute(db)
}
