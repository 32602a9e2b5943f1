import { type Kysely, sql } from 'kysely'

// The notifications table refers to the table of bid requests, which was created later.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "vendorNotifications"
      add constraint "vendorNotifications_bidRequestId_fkey"
      foreign key ("organizationId", "bidRequestId") references "bidRequests" ("organizationId", "id")`.execute(db)
}
