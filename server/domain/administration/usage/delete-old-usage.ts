import { sql } from 'kysely'
import { deleteInBatches } from '../../../platform/database/batches.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Clock } from '../../../platform/runtime/clock.ts'

const DAY_MS = 86_400_000
/** The longest period for which getKeyUsage returns data. */
const RETENTION_DAYS = 90

/** Deletes the usage data of days that getKeyUsage no longer returns. */
export async function deleteOldUsage(database: Database, clock: Clock): Promise<void> {
  const oldest = new Date(clock.nowMs() - RETENTION_DAYS * DAY_MS).toISOString().slice(0, 10)
  await deleteInBatches(database, {
    table: 'usageDays',
    key: 'keyId',
    where: sql`"day" < ${oldest}::date`,
    orderBy: sql`"day"`,
  })
}
