import { sql } from 'kysely'
import { deleteInBatches } from '../../platform/database/batches.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { RETENTION_MS } from './idempotency.ts'

/** Deletes stored responses after 24 hours. A scheduled job. */
export async function deleteOldResponses(database: Database, clock: Clock): Promise<void> {
  const keptSince = new Date(clock.nowMs() - RETENTION_MS).toISOString()
  await deleteInBatches(database, {
    table: 'idempotencyRecords',
    key: 'key',
    where: sql`"createdAt" < ${keptSince}`,
    orderBy: sql`"createdAt"`,
  })
}
