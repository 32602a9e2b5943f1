import type { ClockIn, TimeEntry, Timesheet } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, Problem } from '../../../platform/problems/problem.ts'
import { addDays, getStartOfWeek, toLocalDate } from '../../../platform/values/calendar.ts'
import * as entries from './entry-queries.ts'
import { resolveClockTime, resolveEntryTimes } from './entry-times.ts'
import { resolvePosting } from './posting.ts'
import * as timesheets from './queries.ts'
import { assertTimesheetOpen } from './timesheet.ts'
import { addEntry, changeEntry } from './week.ts'

/** Clocks a user in. Locks the user's row, so that two concurrent requests cannot both clock the user in. */
export async function clockIn(call: WriteCall, body: ClockIn, createScopes: boolean | undefined): Promise<TimeEntry> {
  const { userId, at, notes = null, startLocation = null, ...given } = body
  const startedAt = resolveClockTime(at, call.now)
  const user = await timesheets.lockUser(call, userId)
  const { timeZone, ...posting } = await resolvePosting(call, { ...given, createScopes })
  const running = await entries.findRunningEntry(call, userId)
  if (running !== undefined)
    throw conflict(
      'already_done',
      `Cannot clock in: ${user.name} is already clocked in. Clock out with clockOut first.`,
    )
  const date = toLocalDate(timeZone, new Date(startedAt))
  const sheet = await findOrOpenSheet(call, userId, date)
  assertTimesheetOpen(sheet)
  const time = { date, startedAt, endedAt: null, hours: null, breakMinutes: 0 }
  return addEntry(call, sheet, { ...posting, ...time, payType: 'regular', notes, startLocation })
}

/** Clocks a user out. Throws if the user is not clocked in. */
export async function clockOut(call: WriteCall, body: Checked['ClockOut']): Promise<TimeEntry> {
  const { userId, at, breakMinutes, notes, endLocation } = body
  const endedAt = resolveClockTime(at, call.now)
  const user = await timesheets.lockUser(call, userId)
  const running = await entries.findRunningEntry(call, userId)
  if (running === undefined)
    throw conflict('missing_data', `Cannot clock out: ${user.name} is not clocked in. Clock in with clockIn first.`)
  const sheet = await timesheets.lock(call, running.timesheetId)
  assertTimesheetOpen(sheet)
  const { date, ...times } = withClockPointer(() =>
    resolveEntryTimes({ endedAt, breakMinutes }, running, { timeZone: call.timeZone, now: call.now }),
  )
  // The date of an entry is the date of its start, so the date does not change.
  return changeEntry(call, sheet, running, { ...times, notes, endLocation })
}

/** Returns the user's timesheet for the week, which is locked. Creates the timesheet if it does not exist. */
async function findOrOpenSheet(call: WriteCall, userId: string, date: string): Promise<Timesheet> {
  const id = await timesheets.findTimesheetIdByDate(call, userId, { date, earliest: addDays(date, -6) })
  if (id !== undefined) return timesheets.lock(call, id)
  const { weekStartsOn, overtimeRule } = await timesheets.findWeekSettings(call)
  return insertTimesheet(call, { userId, weekStarting: getStartOfWeek(date, weekStartsOn), overtimeRule })
}

type NewSheet = Pick<Timesheet, 'userId' | 'weekStarting' | 'overtimeRule'> & {
  [Field in 'rate' | 'notes' | 'externalId']?: Timesheet[Field] | undefined
}

/** Creates a timesheet without entries. The rate defaults to that of the user's latest timesheet. */
export async function insertTimesheet(call: WriteCall, { rate, ...given }: NewSheet): Promise<Timesheet> {
  const none = { totalHours: 0, regularHours: 0, overtimeHours: 0, doubleHours: 0, ptoHours: 0, cost: 0 }
  const sheet = await timesheets.insert(call, {
    ...{ ...given, ...none, status: 'open' as const },
    rate: rate === undefined ? await timesheets.findLatestRate(call, given.userId, given.weekStarting) : rate,
  })
  await recordStatusChange(call, { id: sheet.id, from: null, to: sheet.status })
  return sheet
}

/** When a user clocks out, the request has the end time in `at`. Changes the pointers of errors accordingly. */
function withClockPointer<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    const faults = error instanceof Problem ? error.extras.errors : undefined
    if (!(error instanceof Problem) || faults === undefined) throw error
    const errors = faults.map((fault) => (fault.pointer === '/endedAt' ? { ...fault, pointer: '/at' } : fault))
    throw error.pointingAt(errors)
  }
}
