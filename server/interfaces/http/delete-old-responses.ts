import { sql } from 'kysely'
import { deleteInBatches } from '../../platform/database/batches.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { RESPONSE_RETENTION_MS } from './idempotency.ts'

/** Deletes the stored responses whose idempotency keys have expired. */
export async function deleteOldResponses(database: Database, clock: Clock): Promise<void> {
  await deleteInBatches(database, {
    table: 'idempotencyRecords',
    key: 'key',
    where: sql`"expiresAt" <= ${clock.now()}`,
    orderBy: sql`"expiresAt"`,
  })
  // Rows from an earlier version of the service have no expiry.
  await deleteInBatches(database, {
    table: 'idempotencyRecords',
    key: 'key',
    where: sql`"expiresAt" is null and "createdAt" <= ${new Date(clock.nowMs() - RESPONSE_RETENTION_MS)}`,
    orderBy: sql`"createdAt"`,
  })
}
