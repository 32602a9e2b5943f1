import Big from 'big.js'
import { sql } from 'kysely'
import type { PurchaseOrder, RetainageStep } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { unknownReference } from '../../../platform/problems/problem.ts'
import type { OwnShare, RetainageTerms, StepAtAmount } from '../bill-records/retainage.ts'
import { getTotalOfWhole, sumOverWhole, type Whole } from './whole.ts'

/**
 * Returns the retainage terms of an order with its change orders, including the amounts at which the retainage steps
 * begin.
 */
export async function loadRetainageTerms(call: Tenant, whole: Whole): Promise<RetainageTerms> {
  const { root } = whole
  return {
    ...root,
    total: getTotalOfWhole(whole),
    storedAmount: sumOverWhole(whole, ({ storedAmount }) => storedAmount),
    steps: root.retainageSteps.length === 0 ? [] : await loadSteps(call, whole),
    own: await loadOwnShares(call, whole),
  }
}

/**
 * A step at a milestone begins when the milestone is completed, at the amount that was invoiced by the end of that day.
 */
async function loadSteps(call: Tenant, whole: Whole): Promise<StepAtAmount[]> {
  const { retainageSteps } = whole.root
  const total = getTotalOfWhole(whole)
  const reached = await findBilledAtMilestones(call, whole)
  const steps = retainageSteps.flatMap(({ atPercent, milestoneId, percent, applies }): StepAtAmount[] => {
    if (atPercent !== undefined) return [{ at: new Big(total).times(atPercent).div(100).toNumber(), percent, applies }]
    const at = milestoneId === undefined ? undefined : reached.get(milestoneId)
    return at === undefined ? [] : [{ at, percent, applies }]
  })
  return steps.sort((one, other) => Math.abs(one.at) - Math.abs(other.at))
}

async function findBilledAtMilestones(
  { db, organizationId }: Tenant,
  { root, members }: Whole,
): Promise<ReadonlyMap<string, number>> {
  const ids = root.retainageSteps.flatMap(({ milestoneId }) => milestoneId ?? [])
  if (ids.length === 0) return new Map()
  const poIds = members.map(({ id }) => id)
  const { rows } = await sql<{ id: string; billed: number }>`
    select m."id", coalesce((
      select sum(o."grossAmount") from "billOrders" as o
      join "bills" as b on b."organizationId" = o."organizationId" and b."id" = o."billId"
        and b."status" in ('approved', 'partially_paid', 'paid') and b."invoiceDate" <= m."completedDate"
      where o."organizationId" = m."organizationId" and o."poId" = any(${poIds}::text[])), 0) as "billed"
    from "milestones" as m
    where m."organizationId" = ${organizationId} and m."id" = any(${ids}::text[]) and m."completedDate" is not null`.execute(
    db,
  )
  return new Map(rows.map(({ id, billed }) => [id, billed]))
}

/** Returns the billed amounts of lines with their own retainage percentage, computed from the postings of bills. */
async function loadOwnShares({ db, organizationId }: Tenant, { members }: Whole): Promise<OwnShare[]> {
  const percents = getLineRetainagePercents(members)
  if (percents.size === 0) return []
  const poIds = members.map(({ id }) => id)
  const { rows } = await sql<{ key: string; amount: number }>`
    select "poId" || ' ' || "poLineId" as "key", - sum("amount") as "amount" from "postings"
    where "organizationId" = ${organizationId} and "poId" = any(${poIds}::text[]) and "measure" = 'unbilled'
      and "billId" is not null
    group by 1`.execute(db)
  return rows.flatMap(({ key, amount }) => {
    const percent = percents.get(key)
    return percent === undefined ? [] : [{ percent, amount }]
  })
}

/**
 * Returns the percentages of the lines with their own retainage percentage. The keys consist of an order ID and a line
 * ID.
 */
export function getLineRetainagePercents(
  orders: readonly Pick<PurchaseOrder, 'id' | 'lines'>[],
): ReadonlyMap<string, number> {
  return new Map(
    orders.flatMap(({ id, lines }) =>
      lines.flatMap(({ lineId, retainagePercent }): [string, number][] =>
        retainagePercent === null ? [] : [[`${id} ${lineId}`, retainagePercent]],
      ),
    ),
  )
}

/** Throws if a retainage step refers to a milestone that the home does not have. */
export async function assertMilestonesExist(
  { db, organizationId }: Tenant,
  homeId: string,
  steps: readonly RetainageStep[],
): Promise<void> {
  const ids = steps.flatMap(({ milestoneId }) => milestoneId ?? [])
  if (ids.length === 0) return
  const { rows } = await sql<{ id: string }>`
    select "id" from "milestones"
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "id" = any(${ids}::text[])
      and "archivedAt" is null`.execute(db)
  const known = new Set(rows.map(({ id }) => id))
  const unknown = steps.flatMap(({ milestoneId }, i) =>
    milestoneId === undefined || known.has(milestoneId) ? [] : [`/retainageSteps/${i}/milestoneId`],
  )
  if (unknown.length > 0) throw unknownReference(unknown)
}
