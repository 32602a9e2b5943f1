import { sql } from 'kysely'
import { deleteInBatches } from '../../../platform/database/batches.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Clock } from '../../../platform/runtime/clock.ts'

const DAY_MS = 86_400_000

/** Deletes emails that are no longer queued, after their retention period. Their messages are stored separately. */
export async function deleteOldMails(database: Database, clock: Clock, keptDays: number): Promise<void> {
  const since = new Date(clock.nowMs() - keptDays * DAY_MS).toISOString()
  await deleteInBatches(database, { table: 'mails', where: sql`"status" <> 'queued' and "updatedAt" < ${since}` })
}
