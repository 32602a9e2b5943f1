import type { Database } from '../../platform/database/database.ts'
import type { Clock } from '../../platform/runtime/clock.ts'

const DAY_MS = 86_400_000
/** Of the past five weeks, until yesterday; nothing can be called in the past, so these are written as they are kept. */
const DAYS = 35
/** From Sunday to Saturday: an office sleeps at the weekend. */
const REQUESTS = [640, 7150, 7400, 6900, 8050, 6100, 980] as const
/** So many days ago somebody tried a sync that did not wait. */
const BUSY_DAYS_AGO = new Map([
  [3, { more: 1900, refused: 214 }],
  [4, { more: 1250, refused: 86 }],
])

/** What the demo key would have been used for. */
export async function writeUsage(
  database: Database,
  clock: Clock,
  key: { organizationId: string; keyId: string },
): Promise<void> {
  const rows = Array.from({ length: DAYS }, (_, at) => {
    const ago = at + 1
    const day = new Date(clock.nowMs() - ago * DAY_MS)
    const busy = BUSY_DAYS_AGO.get(ago)
    // Each week grows a little on the one before.
    const usual = (REQUESTS[day.getUTCDay()] ?? 0) - Math.floor(ago / 7) * 90 + ((ago * 37) % 60)
    const requests = usual + (busy?.more ?? 0)
    return { ...key, day: day.toISOString().slice(0, 10), requests, refused: busy?.refused ?? 0 }
  })
  await database.statements.insertInto('usageDays').values(rows).execute()
}
