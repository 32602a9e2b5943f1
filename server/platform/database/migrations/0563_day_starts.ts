import { type Kysely, sql } from 'kysely'

/**
 * Returns the first moment of a day. Where clocks are set back at midnight, as in Havana, midnight occurs twice, and
 * `at time zone` chooses the second occurrence. The day starts at the first occurrence.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function "dayStart"(day date, zone text) returns timestamptz language sql stable parallel safe return
      case when ((day::timestamp at time zone zone - interval '1 hour') at time zone zone)::date = day
        then day::timestamp at time zone zone - interval '1 hour'
        else day::timestamp at time zone zone end`.execute(db)
}
