import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database, Db } from '../database/database.ts'

/** So many rows a statement, so that none holds locks or the embedded database for long. */
const BATCH_ROWS = 5000

const DAY_MS = 86_400_000

/** Removes the entries that are older than the audit trail goes back. */
export async function forgetOldAuditEntries(
  database: Database,
  clock: Clock,
  { auditRetentionDays }: { auditRetentionDays: number },
): Promise<void> {
  const keptSince = new Date(clock.nowMs() - auditRetentionDays * DAY_MS).toISOString()
  for (;;) {
    const removed = await database.transaction(async (trx) => {
      await allowRemoval(trx)
      const { numAffectedRows = 0n } = await sql`
        delete from "auditEntries" where ctid = any(array(
          select ctid from "auditEntries" where "at" < ${keptSince} limit ${BATCH_ROWS}))`.execute(trx)
      return numAffectedRows
    })
    if (removed < BATCH_ROWS) return
  }
}

/** Until the end of the transaction entries can be removed, which the table refuses otherwise. */
export async function allowRemoval(trx: Db): Promise<void> {
  await sql`select set_config('plumbline.removes_audit_entries', 'on', true)`.execute(trx)
}
