import { sql } from 'kysely'
import type { ExceptionKind, ExceptionsTodayInput, ExceptionsTodayResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { findCostedHomes } from '../frame/costed-homes.ts'
import { getToday, withReportFooter } from '../frame/report.ts'
import { overdueSelections } from '../sales/overdue-selections.ts'
import { findLateTasks } from '../schedule/find-late-tasks.ts'
import { findExpiringInsurance } from '../vendors/find-expiring-insurance.ts'

const MAX_EXAMPLES = 5
const MAX_HOMES = 500
/** How many days ahead starts must be confirmed, orders issued, and insurance renewed. */
const DAYS_AHEAD = { confirmed: 7, issued: 10, insured: 30 }

type ExceptionName = ExceptionKind['kind']

export async function exceptionsToday(
  { communityId }: ExceptionsTodayInput,
  call: Call,
): Promise<ExceptionsTodayResult> {
  const [late, insurance, selections, homes, waiting] = await Promise.all([
    findLateTasks({ communityId }, call),
    findExpiringInsurance({ communityId, withinDays: DAYS_AHEAD.insured }, call),
    overdueSelections({ communityId }, call),
    findCostedHomes(call, { communityId, statuses: ['under_construction'] }, MAX_HOMES),
    findWaitingWork(call, communityId),
  ])
  const over = homes.filter(({ budgeted, estimatedCost }) => budgeted > 0 && estimatedCost > budgeted)
  const exceptions = [
    toExceptionKind(
      'late_task',
      late.tasks.map(({ taskId, name, home }) => ({ id: taskId, label: `${name}, ${home}` })),
    ),
    toExceptionKind(
      'expiring_insurance',
      insurance.vendors.map(({ vendorId, vendor }) => ({ id: vendorId, label: vendor })),
    ),
    ...waiting,
    toExceptionKind(
      'over_budget',
      over.map(({ homeId, home }) => ({ id: homeId, label: home })),
    ),
    toExceptionKind(
      'overdue_selection',
      selections.selections.map(({ selectionId, selection, home }) => ({
        id: selectionId,
        label: `${selection}, ${home}`,
      })),
    ),
  ].filter(({ count }) => count > 0)
  return {
    exceptions,
    count: exceptions.reduce((sum, { count }) => sum + count, 0),
    ...withReportFooter(call, {
      truncated: late.truncated || insurance.truncated || selections.truncated || homes.length > MAX_HOMES,
      unknown: ['Accounting errors and ledger differences include all communities.'],
    }),
  }
}

function toExceptionKind(kind: ExceptionName, all: ExceptionKind['examples']): ExceptionKind {
  return { kind, count: all.length, examples: all.slice(0, MAX_EXAMPLES) }
}

/** Returns what awaits action: each kind with its count and first examples, in one statement. */
async function findWaitingWork(call: Call, communityId: string | undefined): Promise<ExceptionKind[]> {
  const { db, organizationId } = call
  const today = getToday(call)
  const isThere = sql`(${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})`
  const { rows } = await sql<{ kind: ExceptionName; count: number; examples: ExceptionKind['examples'] }>`
    with "waiting" as (
      select 'unconfirmed_start' as "kind", t."id", t."name" || ', ' || h."name" as "label", t."plannedStart"::text as "place"
      from "tasks" t join "homes" h on h."organizationId" = t."organizationId" and h."id" = t."homeId"
      where t."organizationId" = ${organizationId} and t."archivedAt" is null and t."status" = 'not_started'
        and t."vendorId" is not null and t."confirmationStatus" <> 'confirmed' and ${isThere}
        and t."plannedStart" between ${today}::date and ${addDays(today, DAYS_AHEAD.confirmed)}::date
      union all
      select 'order_to_approve', o."id", o."number" || ', ' || h."name", o."id"
      from "purchaseOrders" o join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
      where o."organizationId" = ${organizationId} and o."status" = 'pending_approval' and ${isThere}
      union all
      select 'order_not_issued', o."id", o."number" || ', ' || h."name", o."id"
      from "purchaseOrders" o join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
      where o."organizationId" = ${organizationId} and o."status" = 'approved' and ${isThere} and exists (
        select from "tasks" t where t."organizationId" = ${organizationId} and t."homeId" = o."homeId" and t."archivedAt" is null
          and t."status" = 'not_started' and t."plannedStart" <= ${addDays(today, DAYS_AHEAD.issued)}::date
          and (o."id" = any(t."poIds") or lower(t."scope") = lower(o."scope")))
      union all
      select 'accounting_error', l."recordId", l."recordId", l."recordId" from "ledgerStates" l
      where l."organizationId" = ${organizationId} and l."error" is not null
      union all
      select 'ledger_difference', d."recordId", d."label" || ': ' || d."measure", d."recordId" from "ledgerDifferences" d
      where d."organizationId" = ${organizationId}
    )
    select k."kind", count(*) as "count",
      (array_agg(json_build_object('id', k."id", 'label', k."label") order by k."place", k."id"))[1:${sql.lit(MAX_EXAMPLES)}] as "examples"
    from "waiting" k group by k."kind" order by k."kind"`.execute(db)
  return rows
}
