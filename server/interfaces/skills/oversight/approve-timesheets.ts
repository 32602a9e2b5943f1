import { sql } from 'kysely'
import type { ApproveTimesheetsInput, ApproveTimesheetsResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { sum } from '../../../platform/values/money.ts'
import { attemptTask } from '../frame/attempt-task.ts'
import { createRowConflict, type RejectedItem } from '../frame/rejected-item.ts'
import { truncateRows } from '../frame/report.ts'

/**
 * The maximum number of timesheets. Approving one posts the entries of a week, and a builder has a few dozen employees.
 */
const MAX_SHEETS = 100

export async function approveTimesheets(input: ApproveTimesheetsInput, call: Call): Promise<ApproveTimesheetsResult> {
  const { weekStarting, userIds } = input
  const { rows, truncated } = truncateRows(await findSheetsToApprove(call, input), MAX_SHEETS)
  const approved: ApproveTimesheetsResult['approved'] = []
  const refused: RejectedItem[] = []
  for (const { userId, user, timesheetId } of rows) {
    const pointer = userIds === undefined ? null : `/input/userIds/${userIds.indexOf(userId)}`
    const reported = { id: timesheetId, label: user, pointer }
    if (timesheetId === null) {
      refused.push({
        ...reported,
        problem: createRowConflict(
          'missing_data',
          `${user} has no timesheet for the week of ${formatDate(weekStarting)}.`,
        ),
      })
      continue
    }
    const moved = await attemptTask(call, (call) =>
      call.operation('changeTimesheetStatus', { timesheetId, status: 'approved' }),
    )
    if (moved.refused === null) approved.push({ timesheetId, userId, user, hours: moved.done.totalHours })
    else refused.push({ ...reported, problem: moved.refused })
  }
  return { approved, refused, hours: sum(approved.map(({ hours }) => hours)), truncated }
}

interface SheetToApprove {
  userId: string
  user: string
  timesheetId: string | null
}

/** Returns the submitted timesheets of all users. If users are given, returns their timesheets with any status. */
async function findSheetsToApprove(
  call: Call,
  { weekStarting, userIds }: ApproveTimesheetsInput,
): Promise<SheetToApprove[]> {
  const { db, organizationId } = call
  const { rows } =
    userIds === undefined
      ? await sql<SheetToApprove>`
          select u."id" as "userId", u."name" as "user", s."id" as "timesheetId" from "timesheets" s
          join "users" u on u."organizationId" = s."organizationId" and u."id" = s."userId"
          where s."organizationId" = ${organizationId} and s."weekStarting" = ${weekStarting}::date
            and s."status" = 'submitted'
          order by s."id" limit ${MAX_SHEETS + 1}`.execute(db)
      : await sql<SheetToApprove>`
          select u."id" as "userId", u."name" as "user", s."id" as "timesheetId" from "users" u
          left join "timesheets" s on s."organizationId" = u."organizationId" and s."userId" = u."id"
            and s."weekStarting" = ${weekStarting}::date
          where u."organizationId" = ${organizationId} and u."id" = any(${[...userIds]}::text[])
          order by s."id", u."id"`.execute(db)
  return rows
}
