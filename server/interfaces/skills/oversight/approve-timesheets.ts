import { sql } from 'kysely'
import type { ApproveTimesheetsInput, ApproveTimesheetsResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { sum } from '../../../platform/values/money.ts'
import { attempt } from '../frame/attempt.ts'
import { conflictOf, type Refused } from '../frame/refused.ts'
import { listed } from '../frame/report.ts'

/** Each posts a week of entries; a builder has a few dozen employees. */
const MOST_SHEETS = 100

export async function approveTimesheets(input: ApproveTimesheetsInput, call: Call): Promise<ApproveTimesheetsResult> {
  const { weekStarting, userIds } = input
  const { rows, truncated } = listed(await sheetsOf(call, input), MOST_SHEETS)
  const approved: ApproveTimesheetsResult['approved'] = []
  const refused: Refused[] = []
  for (const { userId, user, timesheetId } of rows) {
    const pointer = userIds === undefined ? null : `/input/userIds/${userIds.indexOf(userId)}`
    const told = { id: timesheetId, label: user, pointer }
    if (timesheetId === null) {
      refused.push({
        ...told,
        problem: conflictOf('missing_data', `${user} has no timesheet for the week of ${formatDate(weekStarting)}.`),
      })
      continue
    }
    const moved = await attempt(call, (call) =>
      call.operation('changeTimesheetStatus', { timesheetId, status: 'approved' }),
    )
    if (moved.refused === null) approved.push({ timesheetId, userId, user, hours: moved.done.totalHours })
    else refused.push({ ...told, problem: moved.refused })
  }
  return { approved, refused, hours: sum(approved.map(({ hours }) => hours)), truncated }
}

interface Row {
  userId: string
  user: string
  timesheetId: string | null
}

/** Returns the submitted timesheets of all users, or the timesheets of the named users in any status. */
async function sheetsOf(call: Call, { weekStarting, userIds }: ApproveTimesheetsInput): Promise<Row[]> {
  const { db, organizationId } = call
  const { rows } =
    userIds === undefined
      ? await sql<Row>`
          select u."id" as "userId", u."name" as "user", s."id" as "timesheetId" from "timesheets" s
          join "users" u on u."organizationId" = s."organizationId" and u."id" = s."userId"
          where s."organizationId" = ${organizationId} and s."weekStarting" = ${weekStarting}::date
            and s."status" = 'submitted'
          order by s."id" limit ${MOST_SHEETS + 1}`.execute(db)
      : await sql<Row>`
          select u."id" as "userId", u."name" as "user", s."id" as "timesheetId" from "users" u
          left join "timesheets" s on s."organizationId" = u."organizationId" and s."userId" = u."id"
            and s."weekStarting" = ${weekStarting}::date
          where u."organizationId" = ${organizationId} and u."id" = any(${[...userIds]}::text[])
          order by s."id", u."id"`.execute(db)
  return rows
}
