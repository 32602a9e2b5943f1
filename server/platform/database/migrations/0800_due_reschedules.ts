import { type Kysely, sql } from 'kysely'

/** Adds the time since which a home waits for a new schedule, after the calendar of its community changed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "homes" add column "rescheduleDueAt" timestamptz`.execute(db)
  await sql`
    create index "homes_rescheduleDueAt" on "homes" ("rescheduleDueAt", "id") where "rescheduleDueAt" is not null`.execute(
    db,
  )
}
