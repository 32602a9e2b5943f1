import { type Kysely, sql } from 'kysely'

/**
 * Returns the start of a day in a time zone. If clocks are set back at midnight, as in Havana, midnight occurs twice.
 * `at time zone` returns the second occurrence, but the day starts at the first.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function "dayStart"(day date, zone text) returns timestamptz language sql stable parallel safe return
      case when ((day::timestamp at time zone zone - interval '1 hour') at time zone zone)::date = day
        then day::timestamp at time zone zone - interval '1 hour'
        else day::timestamp at time zone zone end`.execute(db)
}
