import { sql } from 'kysely'
import { removeInBatches } from '../../platform/database/batches.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { KEPT_MS } from './idempotency.ts'

/** Deletes stored responses after 24 hours. A scheduled job. */
export async function forgetOldAnswers(database: Database, clock: Clock): Promise<void> {
  const keptSince = new Date(clock.nowMs() - KEPT_MS).toISOString()
  await removeInBatches(database, {
    table: 'idempotencyRecords',
    key: 'key',
    where: sql`"createdAt" < ${keptSince}`,
    orderBy: sql`"createdAt"`,
  })
}
