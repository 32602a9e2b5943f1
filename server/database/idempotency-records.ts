import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import { KEPT_MS } from '../http/idempotency.ts'
import { removeInBatches } from './batches.ts'
import type { Database } from './database.ts'

/** Removes stored responses after their 24 hours; a scheduled job. */
export async function forgetOldAnswers(database: Database, clock: Clock): Promise<void> {
  const keptSince = new Date(clock.nowMs() - KEPT_MS).toISOString()
  await removeInBatches(database, {
    table: 'idempotencyRecords',
    key: 'key',
    where: sql`"createdAt" < ${keptSince}`,
    orderBy: sql`"createdAt"`,
  })
}
