import { sql } from 'kysely'
import type { ExceptionKind, ExceptionsTodayInput, ExceptionsTodayResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { findCostedHomes } from '../frame/costed-homes.ts'
import { createReportFooter, getToday } from '../frame/report.ts'
import { findOverdueSelections } from '../sales/overdue-selections.ts'
import { findLateTasks } from '../schedule/find-late-tasks.ts'
import { findExpiringInsurance } from '../vendors/find-expiring-insurance.ts'

const MAX_EXAMPLES = 5
const MAX_HOMES = 500
/**
 * The number of days before an event at which users are reminded to confirm starts, issue orders, and renew insurance
 * and permits.
 */
const DAYS_AHEAD = { confirmed: 7, issued: 10, insured: 30, permitted: 30 }

type ExceptionName = ExceptionKind['kind']

export async function findExceptionsToday(
  { communityId }: ExceptionsTodayInput,
  call: Call,
): Promise<ExceptionsTodayResult> {
  const [late, insurance, selections, homes, waiting] = await Promise.all([
    findLateTasks({ communityId }, call),
    findExpiringInsurance({ communityId, withinDays: DAYS_AHEAD.insured }, call),
    findOverdueSelections({ communityId }, call),
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
    ...createReportFooter(call, {
      truncated: late.truncated || insurance.truncated || selections.truncated || homes.length > MAX_HOMES,
      unknown: ['Accounting errors and ledger differences include all communities.'],
    }),
  }
}

function toExceptionKind(kind: ExceptionName, all: ExceptionKind['examples']): ExceptionKind {
  return { kind, count: all.length, examples: all.slice(0, MAX_EXAMPLES) }
}

/**
 * Returns the kinds of work that need action, each with its count and first examples. Reads all of them in one
 * statement.
 */
async function findWaitingWork(call: Call, communityId: string | undefined): Promise<ExceptionKind[]> {
  const { db, organizationId } = call
  const today = getToday(call)
  const maySeeInspections = call.permissions.has('inspections:read')
  const maySeePunchItems = call.permissions.has('punch:read')
  const maySeeWarranty = call.permissions.has('warranty:read')
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
      select 'expiring_permit', p."id", concat_ws(' ', initcap(p."permitType"), 'permit', p."number") || ', ' || h."name", p."expiryDate"::text
      from "permits" p join "homes" h on h."organizationId" = p."organizationId" and h."id" = p."homeId"
      where p."organizationId" = ${organizationId} and p."status" in ('issued', 'expired') and ${maySeeInspections} and ${isThere}
        and p."expiryDate" <= ${addDays(today, DAYS_AHEAD.permitted)}::date
      union all
      select 'failed_inspection', t."id", t."name" || ', ' || h."name", t."plannedEnd"::text
      from "tasks" t join "homes" h on h."organizationId" = t."organizationId" and h."id" = t."homeId"
      where t."organizationId" = ${organizationId} and t."archivedAt" is null and t."status" in ('in_progress', 'on_hold')
        and t."inspectionResult" = 'failed' and ${maySeeInspections} and ${isThere}
      union all
      select case when i."status" = 'assigned' then 'overdue_punch_item' else 'disputed_punch_item' end, i."id",
        i."number" || ' ' || left(i."description", 200) || ', ' || h."name", i."dueDate"::text
      from "punchItems" i join "homes" h on h."organizationId" = i."organizationId" and h."id" = i."homeId"
      where i."organizationId" = ${organizationId} and ${maySeePunchItems} and ${isThere}
        and ((i."status" = 'assigned' and i."dueDate" < ${today}::date) or (i."status" = 'open' and i."disputeNote" is not null))
      union all
      select 'overdue_warranty_request', r."id", r."number" || ', ' || h."name", r."completeBy"::text
      from "warrantyRequests" r join "homes" h on h."organizationId" = r."organizationId" and h."id" = r."homeId"
      where r."organizationId" = ${organizationId} and r."isOverdue" and ${maySeeWarranty} and ${isThere}
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
