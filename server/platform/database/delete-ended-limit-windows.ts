import { sql } from 'kysely'
import type { Clock } from '../runtime/clock.ts'
import { BATCH_ROWS, runInBatches } from './batches.ts'
import type { Database } from './database.ts'

const HOUR_MS = 3_600_000

/**
 * Deletes limit windows that ended at least an hour ago and have not been used since. Every unknown address gets a
 * window with its first visit to the portal. A window that is being updated is skipped until the next run.
 */
export async function deleteEndedLimitWindows(database: Database, clock: Clock): Promise<void> {
  const endedBefore = new Date(clock.nowMs() - HOUR_MS).toISOString()
  await runInBatches(
    database,
    sql`
    delete from "limitWindows" where ctid = any(array(
      select ctid from "limitWindows" where "endsAt" < ${endedBefore}
      order by "endsAt" limit ${BATCH_ROWS} for update skip locked))`,
  )
}
