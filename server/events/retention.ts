import { sql } from 'kysely'
import { TypeID } from 'typeid-js'
import type { Clock } from '../clock.ts'
import { BATCH_ROWS, inBatches } from '../database/batches.ts'
import type { Database } from '../database/database.ts'

/**
 * Removes events that are older than they are kept; `keptDays` is null where they are kept for ever. They are found by
 * their ids, which begin with the time of their making: the oldest lie at the beginning of the primary key. An event
 * that has no place yet was not told to anybody and stays. The count of an organization's events is its own and goes
 * on, so that no number is given twice.
 */
export async function forgetOldEvents(database: Database, clock: Clock, keptDays: number | null): Promise<void> {
  if (keptDays === null) return
  const since = new Date(clock.nowMs() - keptDays * DAY_MS)
  await inBatches(
    database,
    sql`
    delete from "events" where ctid = any(array(
      select ctid from "events"
      where "id" < ${firstIdAt(since)} and "occurredAt" < ${since.toISOString()} and "sequence" is not null
      order by "id" limit ${BATCH_ROWS} for update skip locked))`,
  )
}

const DAY_MS = 86_400_000

// The least id that can be made in that millisecond: a UUID of version 7 begins with the time.
function firstIdAt(instant: Date): string {
  const time = Math.max(0, instant.getTime()).toString(16).padStart(12, '0')
  return TypeID.fromUUID('evt', `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`).toString()
}
