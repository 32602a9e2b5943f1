import { sql } from 'kysely'
import type { ReadinessResult, StartPackageCheckInput } from '../../../../client/contract.gen.ts'
import { ORDERED_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { notFound } from '../../../platform/problems/problem.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { findHomeOverview } from '../frame/home-overview.ts'
import { createCheck, createNoneLeftCheck, toReadinessResult } from './readiness.ts'

/** The number of tasks at the start of a home's schedule whose orders and parts must be ready on the first day. */
const FIRST_TASKS = 5

interface StartState {
  hasPermit: boolean
  budgetLines: number
  undecided: number
  tasks: number
  withoutVendor: number
  unordered: number
}

export async function checkStartPackage({ homeId }: StartPackageCheckInput, call: Call): Promise<ReadinessResult> {
  const [home, of] = await Promise.all([findHomeOverview(call, homeId), findStartState(call, homeId)])
  const isPermitted = of.hasPermit || home.status === 'ready_to_start' || home.status === 'under_construction'
  const checks = [
    createCheck(
      'permit',
      isPermitted,
      isPermitted
        ? 'A permit milestone is completed, or the home is ready to start or under construction.'
        : `The home is ${describeStatus(home.status)}, and no permit milestone is completed.`,
    ),
    createCheck('plan', home.planId !== null, home.planId === null ? 'The home has no plan.' : 'The home has a plan.'),
    createCheck(
      'budget',
      of.budgetLines > 0,
      of.budgetLines > 0 ? 'The home has a budget.' : 'The home has no budget.',
    ),
    createCheck(
      'budget_locked',
      home.budgetLockedAt !== null,
      home.budgetLockedAt === null ? 'The budget is not locked.' : 'The budget is locked.',
    ),
    createNoneLeftCheck('selections', of.undecided, 'Undecided selections'),
    createCheck(
      'schedule',
      of.tasks > 0,
      of.tasks > 0 ? `Number of tasks in the schedule: ${of.tasks}.` : 'The home has no schedule.',
    ),
    createNoneLeftCheck('vendors', of.withoutVendor, 'Tasks without a vendor'),
    createNoneLeftCheck('orders', of.unordered, `Orders not issued for the first ${FIRST_TASKS} tasks`),
  ]
  return toReadinessResult(call, { homeId, home: home.home }, checks, [
    'This check does not cover engineering, utilities, or the construction loan.',
  ])
}

async function findStartState({ db, organizationId }: Call, homeId: string): Promise<StartState> {
  const { rows } = await sql<StartState>`
    with "open" as materialized (
      select "scope", "vendorId", row_number() over (order by "plannedStart", "sequence", "id") as "place" from "tasks"
      where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "archivedAt" is null and "taskKind" = 'work'
        and "status" in ('not_started', 'in_progress', 'on_hold')
    )
    select
      exists (select from "milestones" where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "archivedAt" is null
        and "milestoneType" = 'permit' and "status" = 'completed') as "hasPermit",
      (select count(*) from "budgetLines" where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "archivedAt" is null) as "budgetLines",
      (select count(*) from "selections" where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "status" = 'pending') as "undecided",
      (select count(*) from "tasks" where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "archivedAt" is null) as "tasks",
      (select count(*) from "open" where "scope" is not null and "vendorId" is null) as "withoutVendor",
      (select count(distinct lower(t."scope")) from "open" t
        where t."place" <= ${FIRST_TASKS} and t."scope" is not null and not exists (
          select from "purchaseOrders" o where o."organizationId" = ${organizationId} and o."homeId" = ${homeId}
            and lower(o."scope") = lower(t."scope") and o."status" = any(${[...ORDERED_STATUSES]}::text[]))) as "unordered"`.execute(
    db,
  )
  const [standing] = rows
  if (standing === undefined) throw notFound()
  return standing
}
