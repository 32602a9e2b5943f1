import { sql } from 'kysely'
import type { LookaheadResult, UpcomingTask } from '../../../../client/contract.gen.ts'
import { ORDERED_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { createReportFooter, getToday, truncateRows } from '../frame/report.ts'

const MAX_TASKS = 500

/** Returns a superintendent's plan for the next two to six weeks. Each task is listed with its open prerequisites. */
export async function planLookahead(input: Checked['LookaheadInput'], call: Call): Promise<LookaheadResult> {
  const from = getToday(call)
  const to = addDays(from, input.weeks * 7 - 1)
  const { rows, truncated } = truncateRows(await findUpcomingTasks(call, { ...input, from, to }), MAX_TASKS)
  const tasks = rows.map((task) => ({ ...task, isReady: isTaskReady(task) }))
  return {
    ...{ from, to, tasks, readyCount: tasks.filter(({ isReady }) => isReady).length },
    ...createReportFooter(call, {
      truncated,
      unknown: ['Lead times of materials and selections are not checked. See getTaskReadiness for a single task.'],
    }),
  }
}

type UpcomingTaskRow = Omit<UpcomingTask, 'isReady'>

function isTaskReady({ status, openPredecessors, order, confirmation }: UpcomingTaskRow): boolean {
  if (status === 'in_progress') return true
  const isAgreed = confirmation !== 'declined' && confirmation !== 'reschedule_requested'
  return status !== 'on_hold' && openPredecessors === 0 && (order === 'issued' || order === 'not_needed') && isAgreed
}

async function findUpcomingTasks(
  { db, organizationId }: Call,
  { from, to, communityId, superintendentId, vendorId }: Checked['LookaheadInput'] & { from: string; to: string },
): Promise<UpcomingTaskRow[]> {
  const { rows } = await sql<UpcomingTaskRow>`
    select t."id" as "taskId", t."name", t."scope", t."homeId", h."name" || ', ' || c."name" as "home",
      v."companyName" as "vendor", t."status", t."plannedStart", t."plannedEnd", t."confirmationStatus" as "confirmation",
      (select count(*) from "tasks" k
        where k."organizationId" = ${organizationId} and k."archivedAt" is null and k."status" not in ('completed', 'skipped')
          and k."id" = any(array(select p ->> 'taskId' from jsonb_array_elements(t."predecessors"::jsonb) as p))) as "openPredecessors",
      case when t."taskKind" not in ('work', 'delivery') or (t."scope" is null and cardinality(t."poIds") = 0)
        then 'not_needed' else coalesce(o."state", 'none') end as "order"
    from "tasks" t
    join "homes" h on h."organizationId" = t."organizationId" and h."id" = t."homeId"
    join "communities" c on c."organizationId" = t."organizationId" and c."id" = t."communityId"
    left join "vendors" v on v."organizationId" = t."organizationId" and v."id" = t."vendorId"
    left join lateral (
      select case when bool_or(p."status" = any(${[...ORDERED_STATUSES]}::text[])) then 'issued' else 'not_issued' end as "state"
      from "purchaseOrders" p
      where p."organizationId" = ${organizationId} and p."homeId" = t."homeId" and p."status" not in ('void', 'declined')
        and case when cardinality(t."poIds") > 0 then p."id" = any(t."poIds") else lower(p."scope") = lower(t."scope") end
      having count(*) > 0
    ) as o on true
    where t."organizationId" = ${organizationId} and t."archivedAt" is null
      and t."status" in ('not_started', 'in_progress', 'on_hold')
      and t."plannedStart" <= ${to}::date and (t."plannedStart" >= ${from}::date or t."status" = 'in_progress')
      and (${communityId ?? null}::text is null or t."communityId" = ${communityId ?? null})
      and (${vendorId ?? null}::text is null or t."vendorId" = ${vendorId ?? null}) 
      and (${superintendentId ?? null}::text is null or coalesce(h."superintendentId", c."superintendentId") = ${superintendentId ?? null})
    order by t."plannedStart", t."id" limit ${MAX_TASKS + 1}`.execute(db)
  return rows
}
