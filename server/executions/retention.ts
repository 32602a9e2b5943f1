import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../clock.ts'
import { BATCH_ROWS, inBatches } from '../database/batches.ts'
import type { Database } from '../database/database.ts'

const DAY_MS = 86_400_000

/** Removes executions: those that changed something go with the audit trail, all others with the deliveries. */
export async function forgetOldExecutions(
  database: Database,
  clock: Clock,
  { auditRetentionDays, deliveryRetentionDays }: { auditRetentionDays: number; deliveryRetentionDays: number },
): Promise<void> {
  const before = (days: number) => new Date(clock.nowMs() - days * DAY_MS).toISOString()
  await inBatches(database, removal(sql`"changed" and "createdAt" < ${before(auditRetentionDays)}`))
  await inBatches(database, removal(sql`not "changed" and "createdAt" < ${before(deliveryRetentionDays)}`))
}

function removal(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    delete from "executions" where ctid = any(array(
      select ctid from "executions" where ${condition} limit ${BATCH_ROWS} for update skip locked))`
}
