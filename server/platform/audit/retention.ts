import { sql } from 'kysely'
import { removeInBatches } from '../database/batches.ts'
import type { Database, Db } from '../database/database.ts'
import type { Clock } from '../runtime/clock.ts'

const DAY_MS = 86_400_000

/** Deletes entries after the audit retention period. */
export async function forgetOldAuditEntries(
  database: Database,
  clock: Clock,
  { auditRetentionDays }: { auditRetentionDays: number },
): Promise<void> {
  const keptSince = new Date(clock.nowMs() - auditRetentionDays * DAY_MS).toISOString()
  await removeInBatches(database, {
    table: 'auditEntries',
    where: sql`"at" < ${keptSince}`,
    prepare: allowRemoval,
  })
}

/** Allows this transaction to delete audit entries, which the table otherwise prevents. */
export async function allowRemoval(trx: Db): Promise<void> {
  await sql`select set_config('plumbline.removes_audit_entries', 'on', true)`.execute(trx)
}
