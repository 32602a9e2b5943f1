import type { Database } from '../../platform/database/database.ts'
import type { Clock } from '../../platform/runtime/clock.ts'

const DAY_MS = 86_400_000
/**
 * The number of days for which there is usage, until yesterday. Requests cannot be made in the past, so the counts are
 * written directly.
 */
const USAGE_DAYS = 35
/** The number of requests by day of the week, starting on Sunday. An office sends few on weekends. */
const REQUESTS_BY_WEEKDAY = [640, 7150, 7400, 6900, 8050, 6100, 980] as const
/** The days on which a sync ignored the rate limit. */
const BUSY_DAYS = new Map([
  [3, { more: 1900, refused: 214 }],
  [4, { more: 1250, refused: 86 }],
])

/** Writes the usage of the demo builder's API key. */
export async function writeUsage(
  database: Database,
  clock: Clock,
  key: { organizationId: string; keyId: string },
): Promise<void> {
  const rows = Array.from({ length: USAGE_DAYS }, (_, at) => {
    const ago = at + 1
    const day = new Date(clock.nowMs() - ago * DAY_MS)
    const busy = BUSY_DAYS.get(ago)
    // Each week has slightly more requests than the week before.
    const defaults = (REQUESTS_BY_WEEKDAY[day.getUTCDay()] ?? 0) - Math.floor(ago / 7) * 90 + ((ago * 37) % 60)
    const requests = defaults + (busy?.more ?? 0)
    return { ...key, day: day.toISOString().slice(0, 10), requests, refused: busy?.refused ?? 0 }
  })
  await database.statements.insertInto('usageDays').values(rows).execute()
}
