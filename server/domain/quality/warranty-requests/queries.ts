import { sql } from 'kysely'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { DueSql } from '../../../platform/due/find-due-jobs.ts'
import {
  type DueItem,
  type DuePage,
  lockAvailableRecords,
  toAfterPositionSql,
} from '../../../platform/due/process-due-items.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

const COST_SQL = `
  (select coalesce(sum(o."total"), 0) from "purchaseOrders" as o
  where o."organizationId" = t."organizationId" and o."warrantyRequestId" = t."id"
    and o."status" not in ('void', 'declined'))`

export const { list, find, findAll, findOptional, findAllWith, lock, insert, update } = defineResource({
  schema: 'WarrantyRequest',
  computed: { cost: COST_SQL },
  long: ['description', 'decisionReason', 'signature'],
})

/**
 * Returns the next warranty request number of the organization. The counter row stays locked until the transaction
 * ends.
 */
export async function takeNextNumber(call: WriteCall): Promise<string> {
  const { rows } = await sql<{ last: number }>`
    insert into "warrantyRequestNumbers" as n ("organizationId", "last") values (${call.organizationId}, 1)
    on conflict ("organizationId") do update set "last" = n."last" + 1
    returning "last"`.execute(call.db)
  return `W-${String(rows[0]?.last).padStart(4, '0')}`
}

/** A deadline of the builder: to respond to a request, or to complete it. */
export type Target = 'respond' | 'complete'

/** Returns the targets of a request that have already been reported as missed. */
export async function findMissedTargets({ db, organizationId }: Tenant, id: string): Promise<Target[]> {
  const { rows } = await sql<{ missedTargets: Target[] }>`
    select "missedTargets" from "warrantyRequests" where "organizationId" = ${organizationId} and "id" = ${id}`.execute(
    db,
  )
  return rows[0]?.missedTargets ?? []
}

/** Stores the time of the next automatic action on a request, and the targets that have been reported as missed. */
export async function storeDueTime(
  { db, organizationId }: WriteCall,
  id: string,
  { nextDueAt, missedTargets }: { nextDueAt: string | null; missedTargets: readonly Target[] },
): Promise<void> {
  await sql`
    update "warrantyRequests" set "nextDueAt" = ${nextDueAt}::timestamptz, "missedTargets" = ${[...missedTargets]}::text[]
    where "organizationId" = ${organizationId} and "id" = ${id}`.execute(db)
}

export const toDueRequestsSql: DueSql = (now) => sql`
  select "organizationId" from "warrantyRequests" where "nextDueAt" <= ${now}`

/** Returns requests of any organization with an automatic action that is due. */
export async function findDueRequests(db: Db, page: DuePage): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    select "organizationId", "id" as "claimedId", "id", "nextDueAt"::text as "at" from "warrantyRequests"
    where "nextDueAt" <= ${page.now} and ${toAfterPositionSql(page, 'nextDueAt', 'id')}
    order by "nextDueAt", "id" limit ${page.most}`.execute(db)
  return rows
}

export function lockAvailableWarrantyRequests(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailableRecords(call, 'warrantyRequests', ids)
}
