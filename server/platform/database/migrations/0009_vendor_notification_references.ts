import { type Kysely, sql } from 'kysely'

// The notifications table is older than that of the bid requests, which it refers to.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "vendorNotifications"
      add constraint "vendorNotifications_bidRequestId_fkey"
      foreign key ("organizationId", "bidRequestId") references "bidRequests" ("organizationId", "id")`.execute(db)
}
