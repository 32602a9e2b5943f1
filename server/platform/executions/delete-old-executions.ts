import { sql } from 'kysely'
import { deleteInBatches } from '../database/batches.ts'
import type { Database } from '../database/database.ts'
import type { Clock } from '../runtime/clock.ts'

const DAY_MS = 86_400_000

/**
 * Deletes executions: those with changes at the end of the audit retention period, and all others at the end of the
 * retention period of deliveries.
 */
export async function deleteOldExecutions(
  database: Database,
  clock: Clock,
  { auditRetentionDays, deliveryRetentionDays }: { auditRetentionDays: number; deliveryRetentionDays: number },
): Promise<void> {
  const before = (days: number) => new Date(clock.nowMs() - days * DAY_MS).toISOString()
  for (const where of [
    sql`"changed" and "createdAt" < ${before(auditRetentionDays)}`,
    sql`not "changed" and "createdAt" < ${before(deliveryRetentionDays)}`,
  ])
    await deleteInBatches(database, { table: 'executions', where })
}
