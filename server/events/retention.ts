import { sql } from 'kysely'
import { TypeID } from 'typeid-js'
import type { Clock } from '../clock.ts'
import { removeInBatches } from '../database/batches.ts'
import type { Database } from '../database/database.ts'

/**
 * Deletes events older than the retention period; `keptDays` is null if they are kept for ever. Ids start with their
 * creation time, so the oldest are at the start of the primary key. An event without a sequence has not been dispatched
 * to anybody yet and stays. The organization's counter lives elsewhere and continues, so no number is used twice.
 */
export async function forgetOldEvents(database: Database, clock: Clock, keptDays: number | null): Promise<void> {
  if (keptDays === null) return
  const since = new Date(clock.nowMs() - keptDays * DAY_MS)
  await removeInBatches(database, {
    table: 'events',
    where: sql`"id" < ${firstIdAt(since)} and "occurredAt" < ${since.toISOString()} and "sequence" is not null`,
    orderBy: sql`"id"`,
  })
}

const DAY_MS = 86_400_000

// The smallest id that can be created in that millisecond: a UUIDv7 starts with the time.
function firstIdAt(instant: Date): string {
  const time = Math.max(0, instant.getTime()).toString(16).padStart(12, '0')
  return TypeID.fromUUID('evt', `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`).toString()
}
