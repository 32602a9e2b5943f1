import { sql } from 'kysely'
import { deleteInBatches } from '../database/batches.ts'
import type { Database, Db } from '../database/database.ts'
import type { Clock } from '../runtime/clock.ts'

const DAY_MS = 86_400_000

/** Deletes entries at the end of the audit retention period. */
export async function deleteOldAuditEntries(
  database: Database,
  clock: Clock,
  { auditRetentionDays }: { auditRetentionDays: number },
): Promise<void> {
  const keptSince = new Date(clock.nowMs() - auditRetentionDays * DAY_MS).toISOString()
  await deleteInBatches(database, {
    table: 'auditEntries',
    where: sql`"at" < ${keptSince}`,
    prepare: allowEntryDeletion,
  })
}

/** Allows this transaction to delete audit entries, which the table otherwise prevents. */
export async function allowEntryDeletion(trx: Db): Promise<void> {
  await sql`set local plumbline.removes_audit_entries = 'on'`.execute(trx)
}
