import { sql } from 'kysely'
import { deleteInBatches } from '../../platform/database/batches.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Clock } from '../../platform/runtime/clock.ts'

const DAY_MS = 86_400_000

/**
 * Deletes proposals that were settled before the start of the audit trail, because proposals also record actions of
 * users.
 */
export async function deleteOldProposals(
  database: Database,
  clock: Clock,
  { auditRetentionDays }: { auditRetentionDays: number },
): Promise<void> {
  const keptSince = new Date(clock.nowMs() - auditRetentionDays * DAY_MS).toISOString()
  await deleteInBatches(database, {
    table: 'proposals',
    where: sql`"status" <> 'proposed' and "updatedAt" < ${keptSince}`,
    orderBy: sql`"updatedAt"`,
  })
}
