import { sql } from 'kysely'

/**
 * The number of the last event of an organization `o`, 0 if it never had one: that of its newest event, or that of the last
 * event which was deleted, which a trigger puts into the counter.
 */
export const LAST_SEQUENCE = sql<number>`greatest(o."lastEventSequence", (
  select max(e."sequence") from "events" as e where e."organizationId" = o."id" and e."sequence" is not null))`
