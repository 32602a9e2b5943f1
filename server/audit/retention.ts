import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import { BATCH_ROWS, inBatches } from '../database/batches.ts'
import type { Database, Db } from '../database/database.ts'

const DAY_MS = 86_400_000

/** Removes entries that are past the audit retention period. */
export async function forgetOldAuditEntries(
  database: Database,
  clock: Clock,
  { auditRetentionDays }: { auditRetentionDays: number },
): Promise<void> {
  const keptSince = new Date(clock.nowMs() - auditRetentionDays * DAY_MS).toISOString()
  await inBatches(
    database,
    sql`
    delete from "auditEntries" where ctid = any(array(
      select ctid from "auditEntries" where "at" < ${keptSince} limit ${BATCH_ROWS}))`,
    allowRemoval,
  )
}

/** Allows this transaction to remove audit entries, which the table otherwise refuses. */
export async function allowRemoval(trx: Db): Promise<void> {
  await sql`select set_config('plumbline.removes_audit_entries', 'on', true)`.execute(trx)
}
