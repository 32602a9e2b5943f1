import { type Kysely, sql } from 'kysely'

/** How long before their tasks vendors are told by themselves. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "vendors"
      add column "notificationPreferences" jsonb not null default '{"advanceNoticeDays": 7, "reminderDays": 2}'`.execute(
    db,
  )
  await sql`alter table "vendors" alter column "notificationPreferences" drop default`.execute(db)
}
