import { sql } from 'kysely'
import { removeInBatches } from '../../../platform/database/batches.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Clock } from '../../../platform/runtime/clock.ts'

const DAY_MS = 86_400_000
/** As far back as getKeyUsage goes. */
const KEPT_DAYS = 90

/** Removes counts of days that nobody can ask for any more. */
export async function forgetOldUsage(database: Database, clock: Clock): Promise<void> {
  const oldest = new Date(clock.nowMs() - KEPT_DAYS * DAY_MS).toISOString().slice(0, 10)
  await removeInBatches(database, {
    table: 'usageDays',
    key: 'keyId',
    where: sql`"day" < ${oldest}::date`,
    orderBy: sql`"day"`,
  })
}
