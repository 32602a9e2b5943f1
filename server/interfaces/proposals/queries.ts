import { sql } from 'kysely'
import type { WriteCall } from '../../platform/calls/call.ts'
import type { Db } from '../../platform/database/database.ts'
import type { DueSql } from '../../platform/due/find-due-jobs.ts'
import {
  type DueItem,
  type DuePage,
  lockAvailableRecords,
  toAfterPositionSql,
} from '../../platform/due/process-due-items.ts'
import { defineResource } from '../../platform/resources/resource.ts'

export const { list, find, findAll, lock, insert, update } = defineResource({
  schema: 'Proposal',
  filters: {
    runnable: (skills) => `(t."skill" = any(${skills}::text[]) or t."skill" = 'executeBatch' and not exists (
      select from jsonb_array_elements(t."input"->'steps') as s where s->>'skill' <> all(${skills}::text[])))`,
  },
})

export const toExpiredProposalsSql: DueSql = (now) => sql`
  select "organizationId" from "proposals" where "status" = 'proposed' and "expiresAt" <= ${now}`

/** Returns expired proposals of all organizations, most overdue first. */
export async function findExpiredProposals(db: Db, page: DuePage): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    select "organizationId", "id" as "claimedId", "id", "expiresAt"::text as "at" from "proposals"
    where "status" = 'proposed' and "expiresAt" <= ${page.now} and ${toAfterPositionSql(page, 'expiresAt', 'id')}
    order by "expiresAt", "id" limit ${page.most}`.execute(db)
  return rows
}

/**
 * Locks the given proposals, except those that are no longer pending or that another transaction has locked. Returns
 * the IDs of the locked proposals.
 */
export function lockPendingProposals(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailableRecords(call, 'proposals', ids, sql`"status" = 'proposed'`)
}
