import { sql } from 'kysely'
import type { WriteCall } from '../../platform/calls/call.ts'
import type { Db } from '../../platform/database/database.ts'
import { afterPosition, type DueItem, type DuePage, lockAvailable } from '../../platform/due/settle-due.ts'
import { defineResource } from '../../platform/resources/resource.ts'

export const { list, find, findAll, lock, insert, update } = defineResource({
  schema: 'Proposal',
  filters: {
    runnable: (skills) => `(t."skill" = any(${skills}::text[]) or t."skill" = 'executeBatch' and not exists (
      select from jsonb_array_elements(t."input"->'steps') as s where s->>'skill' <> all(${skills}::text[])))`,
  },
})

/** Returns expired proposals of all organizations, the longest overdue first. */
export async function findExpiredProposals(db: Db, page: DuePage): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    select "organizationId", "id" as "claimedId", "id", "expiresAt"::text as "at" from "proposals"
    where "status" = 'proposed' and "expiresAt" <= ${page.now} and ${afterPosition(page, 'expiresAt', 'id')}
    order by "expiresAt", "id" limit ${page.most}`.execute(db)
  return rows
}

/** Locks the pending proposals that no other transaction has locked. */
export function lockPending(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailable(call, 'proposals', ids, sql`"status" = 'proposed'`)
}
