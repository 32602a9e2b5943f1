import { sql } from 'kysely'

/**
 * SQL expression for the sequence of the last event of the organization `o`; 0 if there has never been one. The
 * sequence comes from the events instead of a counter, because each update of a counter would leave a dead row. During
 * a backup or a forgotten transaction, PostgreSQL could not remove dead rows, and every read of the organization would
 * scan them. A trigger updates the counter only when events are deleted, so that their sequences are not used again.
 */
export const LAST_SEQUENCE = sql<number>`greatest(o."lastEventSequence", (
  select max(e."sequence") from "events" as e where e."organizationId" = o."id" and e."sequence" is not null))`
