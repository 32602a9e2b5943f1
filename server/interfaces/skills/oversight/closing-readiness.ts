import { sql } from 'kysely'
import type { ClosingReadinessInput, ReadinessResult } from '../../../../client/contract.gen.ts'
import { toWaiverRequiredSql } from '../../../domain/paying/waiver-rule.ts'
import { UNSETTLED_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { notFound } from '../../../platform/problems/problem.ts'
import { describeStatus, formatAmount } from '../../../platform/values/format.ts'
import { findHomeOverview } from '../frame/home-overview.ts'
import { selectSentences } from '../frame/report.ts'
import { createCheck, createNoneLeftCheck, toReadinessResult } from './readiness.ts'

interface ClosingState {
  openTasks: number
  hasOccupancy: boolean
  openOrders: number
  payable: number
  missingWaivers: number
  saleStatus: string | null
  openContingencies: number
  depositsOutstanding: number
  openPunchItems: number
  openWalkthroughs: number
  openInspections: number
  openPermits: number
}

export async function checkClosingReadiness({ homeId }: ClosingReadinessInput, call: Call): Promise<ReadinessResult> {
  const [{ home, status }, of] = await Promise.all([findHomeOverview(call, homeId), findClosingState(call, homeId)])
  const isBuilt = status === 'completed' || status === 'closed' || status === 'warranty'
  const checks = [
    createCheck('completed', isBuilt, `The home is ${describeStatus(status)}.`),
    createNoneLeftCheck('tasks', of.openTasks, 'Open tasks'),
    createCheck(
      'certificate_of_occupancy',
      of.hasOccupancy,
      of.hasOccupancy ? 'The occupancy milestone is completed.' : 'The occupancy milestone is missing or pending.',
    ),
    createNoneLeftCheck('orders', of.openOrders, 'Unsettled orders'),
    createCheck(
      'payable',
      of.payable <= 0,
      `The amount payable to vendors is ${formatAmount(of.payable, call.currency)}.`,
    ),
    createNoneLeftCheck('lien_waivers', of.missingWaivers, 'Payments without a signed lien waiver'),
    createCheck(
      'sale',
      of.saleStatus === 'pipeline_complete',
      of.saleStatus === null ? 'The home has no sale.' : `The sale is ${describeStatus(of.saleStatus)}.`,
    ),
    createNoneLeftCheck('contingencies', of.openContingencies, 'Open contingencies'),
    createCheck(
      'deposits',
      of.depositsOutstanding === 0,
      `The amount of outstanding deposits is ${formatAmount(of.depositsOutstanding, call.currency)}.`,
    ),
    ...(call.permissions.has('punch:read') ? checkPunchList(of) : []),
    ...(call.permissions.has('inspections:read') ? checkInspections(of) : []),
  ]
  const unknown = selectSentences(
    !call.permissions.has('punch:read') && 'Punch items and walkthroughs are not checked without punch:read.',
    !call.permissions.has('inspections:read') && 'Inspections and permits are not checked without inspections:read.',
  )
  return toReadinessResult(call, { homeId, home }, checks, unknown)
}

function checkPunchList({ openPunchItems, openWalkthroughs }: ClosingState) {
  return [
    createNoneLeftCheck('punch_items', openPunchItems, 'Punch items to verify before closing'),
    createNoneLeftCheck('walkthroughs', openWalkthroughs, 'Walkthroughs to sign'),
  ]
}

function checkInspections({ openInspections, openPermits }: ClosingState) {
  return [
    createNoneLeftCheck('inspections', openInspections, 'Inspections to pass'),
    createNoneLeftCheck('permits', openPermits, 'Permits to close'),
  ]
}

async function findClosingState({ db, organizationId }: Call, homeId: string): Promise<ClosingState> {
  const { rows } = await sql<ClosingState>`
    select
      (select count(*) from "tasks" where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "archivedAt" is null
        and "status" in ('not_started', 'in_progress', 'on_hold')) as "openTasks",
      exists (select from "milestones" where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "archivedAt" is null
        and "milestoneType" = 'certificate_of_occupancy' and "status" = 'completed') as "hasOccupancy",
      o."openOrders", o."payable",
      (select count(*) from "payments" p
        where p."organizationId" = ${organizationId} and p."homeId" = ${homeId} and p."status" = 'paid' and p."amount" > 0
          and p."lienWaiverId" is null and not p."migrated" and ${sql.raw(toWaiverRequiredSql('p'))}) as "missingWaivers",
      (select count(*) from "punchItems"
        where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "priority" in ('before_closing', 'safety')
          and "status" in ('open', 'assigned', 'fixed')) as "openPunchItems",
      (select count(*) from "walkthroughs"
        where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "status" = 'open'
          and "kind" in ('orientation', 'final')) as "openWalkthroughs",
      (select count(*) from "inspections"
        where "organizationId" = ${organizationId} and "homeId" = ${homeId}
          and "status" in ('requested', 'scheduled')) as "openInspections",
      (select count(*) from "permits"
        where "organizationId" = ${organizationId} and "homeId" = ${homeId}
          and "status" in ('applied', 'issued', 'expired')) as "openPermits",
      s."status" as "saleStatus", coalesce(s."openContingencies", 0) as "openContingencies",
      coalesce(s."depositsOutstanding", 0) as "depositsOutstanding"
    from (
      select count(*) as "openOrders", coalesce(sum("payableAmount"), 0) as "payable" from "purchaseOrders"
      where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "status" = any(${[...UNSETTLED_STATUSES]}::text[])
    ) as o
    left join "sales" s on s."organizationId" = ${organizationId} and s."homeId" = ${homeId} and s."status" <> 'cancelled'`.execute(
    db,
  )
  const [standing] = rows
  if (standing === undefined) throw notFound()
  return standing
}
