import { sql } from 'kysely'
import type { NotifyVendorsOfScheduleResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { invalid } from '../../../platform/problems/problem.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { attempt } from '../frame/attempt.ts'
import type { Refused } from '../frame/refused.ts'
import { listed, reported, todayOf } from '../frame/report.ts'

/** Each locks a task and writes an email; more would delay others. */
const MOST_NOTICES = 50

type Input = Checked['NotifyVendorsOfScheduleInput']
type Notice = NotifyVendorsOfScheduleResult['notices'][number]

export async function notifyVendorsOfSchedule(input: Input, call: Call): Promise<NotifyVendorsOfScheduleResult> {
  const { homeId, communityId, kind, message } = input
  if (homeId === undefined && communityId === undefined)
    throw invalid([{ pointer: '/homeId', code: 'required', message: 'is required unless communityId is set' }])
  const { rows, truncated } = listed(await comingTasks(call, input), MOST_NOTICES)
  const notices: Notice[] = []
  const refused: Refused[] = []
  for (const row of rows) {
    const { taskId, vendorId } = row
    const said = message === undefined ? {} : { message }
    const sent = await attempt(call, (call) => call.operation('notifyVendor', { vendorId, taskId, kind, ...said }))
    if (sent.refused === null) notices.push({ ...row, vendorNotificationId: sent.done.id })
    else refused.push({ id: taskId, label: row.task, pointer: null, problem: sent.refused })
  }
  return { notices, refused, ...reported(call, { truncated }) }
}

/**
 * Returns the tasks that start between these dates. With `advance`, only those whose vendor was not notified of the
 * current dates.
 */
async function comingTasks(
  call: Call,
  { homeId, communityId, kind, withinDays }: Input,
): Promise<Omit<Notice, 'vendorNotificationId'>[]> {
  const { db, organizationId } = call
  const today = todayOf(call)
  const { rows } = await sql<Omit<Notice, 'vendorNotificationId'>>`
    select t."id" as "taskId", t."name" || ', ' || h."name" as "task", t."vendorId", v."companyName" as "vendor", t."plannedStart"
    from "tasks" t
    join "homes" h on h."organizationId" = t."organizationId" and h."id" = t."homeId"
    join "vendors" v on v."organizationId" = t."organizationId" and v."id" = t."vendorId"
    where t."organizationId" = ${organizationId} and t."archivedAt" is null and t."status" = 'not_started'
      and t."plannedStart" between ${today}::date and ${addDays(today, withinDays - 1)}::date
      and (${homeId ?? null}::text is null or t."homeId" = ${homeId ?? null})
      and (${communityId ?? null}::text is null or t."communityId" = ${communityId ?? null})
      and (${kind} = 'reminder' or t."notifiedStart" is distinct from t."plannedStart")
    order by t."plannedStart", t."id" limit ${MOST_NOTICES + 1}`.execute(db)
  return rows
}
