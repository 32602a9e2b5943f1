import { sql } from 'kysely'

/**
 * SQL expression for the sequence of the last event of an organization `o`; 0 if the organization never had an event.
 * The sequence is read from the events, because each update of a counter would leave a dead row. During a backup or a
 * forgotten transaction, all dead rows would remain, and every read of the organization would scan them. A trigger
 * updates the counter only when events are deleted, to remember their sequences.
 */
export const LAST_SEQUENCE = sql<number>`greatest(o."lastEventSequence", (
  select max(e."sequence") from "events" as e where e."organizationId" = o."id" and e."sequence" is not null))`
