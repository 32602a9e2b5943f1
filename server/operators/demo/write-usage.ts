import type { Database } from '../../platform/database/database.ts'
import type { Clock } from '../../platform/runtime/clock.ts'

const DAY_MS = 86_400_000
/**
 * Usage of the past five weeks, until yesterday. Requests cannot be made in the past, so the counts are written
 * directly.
 */
const USAGE_DAYS = 35
/** From Sunday to Saturday. An office sends little on weekends. */
const REQUESTS_BY_WEEKDAY = [640, 7150, 7400, 6900, 8050, 6100, 980] as const
/** On these days a sync ignored the rate limit. */
const BUSY_DAYS = new Map([
  [3, { more: 1900, refused: 214 }],
  [4, { more: 1250, refused: 86 }],
])

/** Writes the usage of the demo key. */
export async function writeUsage(
  database: Database,
  clock: Clock,
  key: { organizationId: string; keyId: string },
): Promise<void> {
  const rows = Array.from({ length: USAGE_DAYS }, (_, at) => {
    const ago = at + 1
    const day = new Date(clock.nowMs() - ago * DAY_MS)
    const busy = BUSY_DAYS.get(ago)
    // Each week has a few more requests than the one before.
    const defaults = (REQUESTS_BY_WEEKDAY[day.getUTCDay()] ?? 0) - Math.floor(ago / 7) * 90 + ((ago * 37) % 60)
    const requests = defaults + (busy?.more ?? 0)
    return { ...key, day: day.toISOString().slice(0, 10), requests, refused: busy?.refused ?? 0 }
  })
  await database.statements.insertInto('usageDays').values(rows).execute()
}
