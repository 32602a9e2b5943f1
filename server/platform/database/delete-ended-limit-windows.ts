import { sql } from 'kysely'
import type { Clock } from '../runtime/clock.ts'
import { BATCH_ROWS, runInBatches } from './batches.ts'
import type { Database } from './database.ts'

const HOUR_MS = 3_600_000

/**
 * Deletes rate limit windows that ended at least an hour ago and have not been used since. Each unknown address gets a
 * window when it first visits the portal, so there are many. Skips windows that are being updated until the next run.
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
