import { sql } from 'kysely'
import type { FindLateTasksInput, FindLateTasksResult, LateTask } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { humanizeValue } from '../../../platform/values/format.ts'
import { createReportFooter, getToday, truncateRows } from '../frame/report.ts'

const MAX_TASKS = 500
/** The maximum number of tasks to read: those that should have started, oldest first. Most of them are late. */
const MAX_READ = 10_000

interface LateTaskRow extends Omit<LateTask, 'cause' | 'detail'> {
  status: string
  confirmationStatus: string
  delayReason: string | null
  waitsFor: string | null
}

export async function findLateTasks({ communityId }: FindLateTasksInput, call: Call): Promise<FindLateTasksResult> {
  const { rows, truncated } = truncateRows(await listLateTasks(call, communityId), MAX_TASKS)
  return {
    tasks: rows.map(({ status, confirmationStatus, delayReason, waitsFor, ...task }) => {
      return { ...task, ...findCause({ status, confirmationStatus, delayReason, waitsFor }) }
    }),
    homes: new Set(rows.map(({ homeId }) => homeId)).size,
    ...createReportFooter(call, { truncated, unknown: ['Completed work that was not reported is shown as late.'] }),
  }
}

function findCause({
  status,
  confirmationStatus,
  delayReason,
  waitsFor,
}: Pick<LateTaskRow, 'status' | 'confirmationStatus' | 'delayReason' | 'waitsFor'>): Pick<
  LateTask,
  'cause' | 'detail'
> {
  if (status === 'on_hold') return { cause: 'on_hold', detail: 'The task is on hold.' }
  if (waitsFor !== null) return { cause: 'predecessor', detail: `The task is waiting for ${waitsFor}.`.slice(0, 300) }
  if (delayReason !== null)
    return { cause: 'delay', detail: `The reason for the last delay is ${humanizeValue(delayReason)}.` }
  if (['requested', 'declined', 'reschedule_requested'].includes(confirmationStatus))
    return {
      cause: 'not_confirmed',
      detail: `The status of the vendor's confirmation is ${humanizeValue(confirmationStatus)}.`,
    }
  return { cause: 'unknown', detail: 'No cause is recorded.' }
}

async function listLateTasks(call: Call, communityId: string | undefined): Promise<LateTaskRow[]> {
  const { db, organizationId } = call
  const today = getToday(call)
  const { rows } = await sql<LateTaskRow>`
    with "begun" as materialized (
      select t.* from "tasks" t
      where t."organizationId" = ${organizationId} and t."archivedAt" is null
        and t."status" in ('not_started', 'in_progress', 'on_hold') and t."plannedStart" < ${today}::date
        and (${communityId ?? null}::text is null or t."communityId" = ${communityId ?? null})
      order by t."plannedStart", t."id" limit ${MAX_READ}
    )
    select t."id" as "taskId", t."name", t."homeId", h."name" || ', ' || c."name" as "home", v."companyName" as "vendor",
      d."late", d."dueOn", ${today}::date - d."dueOn" as "daysLate", t."isCritical", t."status", t."confirmationStatus",
      t."delays"::jsonb -> -1 ->> 'reasonCode' as "delayReason",
      case when t."actualStart" is null then (
        select k."name" from "tasks" k
        where k."organizationId" = ${organizationId} and k."archivedAt" is null and k."status" not in ('completed', 'skipped')
          and k."id" = any(array(select p ->> 'taskId' from jsonb_array_elements(t."predecessors"::jsonb) as p))
        order by k."plannedEnd" desc, k."id" limit 1) end as "waitsFor"
    from "begun" t
    cross join lateral (
      select case when t."actualStart" is null and t."plannedStart" < ${today}::date then 'start' else 'finish' end as "late",
        case when t."actualStart" is null and t."plannedStart" < ${today}::date then t."plannedStart" else t."plannedEnd" end as "dueOn"
    ) as d
    join "homes" h on h."organizationId" = t."organizationId" and h."id" = t."homeId"
    join "communities" c on c."organizationId" = t."organizationId" and c."id" = t."communityId"
    left join "vendors" v on v."organizationId" = t."organizationId" and v."id" = t."vendorId"
    where t."actualStart" is null or t."plannedEnd" < ${today}::date
    order by d."dueOn", t."id" limit ${MAX_TASKS + 1}`.execute(db)
  return rows
}
