import { sql } from 'kysely'
import type { NotifyVendorsOfScheduleResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { attemptTask } from '../frame/attempt-task.ts'
import type { RejectedItem } from '../frame/rejected-item.ts'
import { createReportFooter, getToday, truncateRows } from '../frame/report.ts'

/** The maximum number of notices. Each locks a task and writes an email, so more notices would delay other requests. */
const MAX_NOTICES = 50

type NotifyVendorsInput = Checked['NotifyVendorsOfScheduleInput']
type ScheduleNotice = NotifyVendorsOfScheduleResult['notices'][number]

export async function notifyVendorsOfSchedule(
  input: NotifyVendorsInput,
  call: Call,
): Promise<NotifyVendorsOfScheduleResult> {
  const { homeId, communityId, kind, message } = input
  if (homeId === undefined && communityId === undefined)
    throw validationFailed([{ pointer: '/homeId', code: 'required', message: 'is required unless communityId is set' }])
  const { rows, truncated } = truncateRows(await findComingTasks(call, input), MAX_NOTICES)
  const notices: ScheduleNotice[] = []
  const refused: RejectedItem[] = []
  for (const row of rows) {
    const { taskId, vendorId } = row
    const said = message === undefined ? {} : { message }
    const sent = await attemptTask(call, (call) => call.operation('notifyVendor', { vendorId, taskId, kind, ...said }))
    if (sent.refused === null) notices.push({ ...row, vendorNotificationId: sent.done.id })
    else refused.push({ id: taskId, label: row.task, pointer: null, problem: sent.refused })
  }
  return { notices, refused, ...createReportFooter(call, { truncated }) }
}

/**
 * Returns the tasks that start between these dates. If `advance` is given, returns only tasks whose vendor has not been
 * notified of the current dates.
 */
async function findComingTasks(
  call: Call,
  { homeId, communityId, kind, withinDays }: NotifyVendorsInput,
): Promise<Omit<ScheduleNotice, 'vendorNotificationId'>[]> {
  const { db, organizationId } = call
  const today = getToday(call)
  const { rows } = await sql<Omit<ScheduleNotice, 'vendorNotificationId'>>`
    select t."id" as "taskId", t."name" || ', ' || h."name" as "task", t."vendorId", v."companyName" as "vendor", t."plannedStart"
    from "tasks" t
    join "homes" h on h."organizationId" = t."organizationId" and h."id" = t."homeId"
    join "vendors" v on v."organizationId" = t."organizationId" and v."id" = t."vendorId"
    where t."organizationId" = ${organizationId} and t."archivedAt" is null and t."status" = 'not_started'
      and t."plannedStart" between ${today}::date and ${addDays(today, withinDays - 1)}::date
      and (${homeId ?? null}::text is null or t."homeId" = ${homeId ?? null})
      and (${communityId ?? null}::text is null or t."communityId" = ${communityId ?? null})
      and (${kind} = 'reminder' or t."notifiedStart" is distinct from t."plannedStart")
    order by t."plannedStart", t."id" limit ${MAX_NOTICES + 1}`.execute(db)
  return rows
}
