import { type Kysely, sql } from 'kysely'

/** Adds the number of days before the start of a task on which its vendor is notified automatically. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "vendors"
      add column "notificationPreferences" jsonb not null default '{"advanceNoticeDays": 7, "reminderDays": 2}'`.execute(
    db,
  )
  await sql`alter table "vendors" alter column "notificationPreferences" drop default`.execute(db)
}
