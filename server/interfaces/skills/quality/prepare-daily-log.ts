import { sql } from 'kysely'
import type { DailyLogActivity, PrepareDailyLogInput, PrepareDailyLogResult } from '../../../../client/contract.gen.ts'
import * as logs from '../../../domain/building/daily-logs/queries.ts'
import * as communities from '../../../domain/land/communities/queries.ts'
import type { Call, Tenant } from '../../../platform/calls/call.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { formatCount, humanizeValue } from '../../../platform/values/format.ts'
import { findHomeOverview } from '../frame/home-overview.ts'
import { selectSentences } from '../frame/report.ts'

/** The maximum number of crews, and of deliveries. The contract declares the same limit. */
const MAX_ENTRIES = 30
const MAX_TEXT = 4000

export async function prepareDailyLog(
  { homeId, logDate: requested }: PrepareDailyLogInput,
  call: Call,
): Promise<PrepareDailyLogResult> {
  const { home, communityId } = await findHomeOverview(call, homeId)
  const { timeZone } = await communities.find(call, communityId)
  const today = toLocalDate(timeZone, call.now)
  const logDate = requested ?? today
  if (logDate > today)
    throw validationFailed([{ pointer: '/logDate', code: 'maximum', message: `must not be after today (${today})` }])
  const bounds = await logs.findDayBounds(call, timeZone, logDate)
  const activity = await logs.findDailyActivity(call, homeId, logDate, bounds)
  const planned = await findPlannedCrews(call, homeId, logDate)
  const crews = planned.slice(0, MAX_ENTRIES).map(({ vendorId, scope }) => ({
    ...{ vendorId, name: null, scope, headcount: null, hours: null, noShow: false },
  }))
  const deliveries = activity.deliveriesPlanned.slice(0, MAX_ENTRIES).map(({ taskId, vendorId, name }) => ({
    ...{ taskId, vendorId, description: name, condition: 'complete' as const },
  }))
  const dailyLogId = (await logs.findLogIdByDay(call, homeId, logDate)) ?? null
  return {
    ...{ home, dailyLogId, activity },
    draft: { homeId, logDate, crews, workDone: describeWork(activity), deliveries },
    missing: [
      ...selectSentences(
        'The weather.',
        crews.length > 0 && 'Headcount and hours of each crew.',
        deliveries.length > 0 && 'Condition of each delivery.',
        activity.photoCount === 0 && 'Photos: the day has none.',
      ),
      ...planned
        .filter(({ isStarted }) => !isStarted)
        .slice(0, MAX_ENTRIES)
        .map(({ vendor, task }) => `Attendance of ${vendor}: ${task} was planned but has not started.`),
    ],
  }
}

function describeWork({ tasksStarted, tasksCompleted, delays }: DailyLogActivity): string | null {
  const names = (tasks: readonly { name: string }[]) => tasks.map(({ name }) => name).join(', ')
  const sentences = selectSentences(
    tasksStarted.length > 0 && `Started: ${names(tasksStarted)}.`,
    tasksCompleted.length > 0 && `Completed: ${names(tasksCompleted)}.`,
    ...delays.map(
      ({ name, days, reasonCode }) =>
        `Delayed: ${name} by ${formatCount(days, 'workday')} (${humanizeValue(reasonCode).toLowerCase()}).`,
    ),
  )
  return sentences.length === 0 ? null : sentences.join(' ').slice(0, MAX_TEXT)
}

interface PlannedCrew {
  vendorId: string
  vendor: string
  scope: string | null
  task: string
  isStarted: boolean
}

/** Returns the vendors whose tasks were in progress or planned on the day. */
async function findPlannedCrews(
  { db, organizationId }: Tenant,
  homeId: string,
  logDate: string,
): Promise<PlannedCrew[]> {
  const { rows } = await sql<PlannedCrew>`
    select distinct on (t."vendorId") t."vendorId", v."companyName" as "vendor", t."scope", t."name" as "task",
      t."actualStart" is not null and t."actualStart" <= ${logDate}::date as "isStarted"
    from "tasks" as t
    join "vendors" as v on v."organizationId" = t."organizationId" and v."id" = t."vendorId"
    where t."organizationId" = ${organizationId} and t."homeId" = ${homeId} and t."archivedAt" is null
      and t."status" <> 'skipped' and coalesce(t."actualStart", t."plannedStart") <= ${logDate}::date
      and coalesce(t."actualEnd", greatest(t."plannedEnd", t."actualStart")) >= ${logDate}::date
    order by t."vendorId", "isStarted" desc, t."id"`.execute(db)
  return rows
}
