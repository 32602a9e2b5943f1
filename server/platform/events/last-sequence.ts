import { sql } from 'kysely'

/**
 * SQL of the sequence of the last event of an organization `o`; 0 if it never had one. It is read from the events,
 * because a counter that each dispatch updates would leave a dead row each time. During a backup or a forgotten
 * transaction all of them would remain, and every read of the organization would pass them. The counter only remembers
 * deleted events, through a trigger.
 */
export const LAST_SEQUENCE = sql<number>`greatest(o."lastEventSequence", (
  select max(e."sequence") from "events" as e where e."organizationId" = o."id" and e."sequence" is not null))`
