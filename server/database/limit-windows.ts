import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import { BATCH_ROWS, inBatches } from './batches.ts'
import type { Database } from './database.ts'

const DAY_MS = 86_400_000

/**
 * Removes the windows of limits that ended a day ago or longer, whose key, vendor or organization has not come since. A
 * window that is being counted in at this moment is passed over; the next run looks at it again.
 */
export async function forgetEndedWindows(database: Database, clock: Clock): Promise<void> {
  const endedBefore = new Date(clock.nowMs() - DAY_MS).toISOString()
  await inBatches(
    database,
    sql`
    delete from "limitWindows" where ctid = any(array(
      select ctid from "limitWindows" where "endsAt" < ${endedBefore}
      order by "endsAt" limit ${BATCH_ROWS} for update skip locked))`,
  )
}
