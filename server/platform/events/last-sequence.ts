import { sql } from 'kysely'

/**
 * The number of the last event of an organization `o`, 0 if it never had one. It is read from the events, because a counter
 * that each dispatch changed would leave a row behind each time; while a backup or a forgotten transaction runs, all of
 * them stay, and everybody who reads the organization would go through them. The counter only remembers the events that
 * were deleted, by a trigger.
 */
export const LAST_SEQUENCE = sql<number>`greatest(o."lastEventSequence", (
  select max(e."sequence") from "events" as e where e."organizationId" = o."id" and e."sequence" is not null))`
