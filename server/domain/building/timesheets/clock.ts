import type { ClockIn, TimeEntry, Timesheet } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, Problem } from '../../../platform/problems/problem.ts'
import { addDays, dateIn, weekStartOf } from '../../../platform/values/calendar.ts'
import * as entries from './entry-queries.ts'
import { postingOf } from './posting.ts'
import * as timesheets from './queries.ts'
import { clockedAt, timesOf } from './times.ts'
import { assertOpen } from './timesheet.ts'
import { addEntry, changeEntry } from './week.ts'

/** Begins time of the user. Of two requests at once the second finds the user clocked in, because it waits for their row. */
export async function clockIn(call: WriteCall, body: ClockIn, createScopes: boolean | undefined): Promise<TimeEntry> {
  const { userId, at, notes = null, startLocation = null, ...given } = body
  const startedAt = clockedAt(at, call.now)
  const user = await timesheets.lockUser(call, userId)
  const { timeZone, ...posting } = await postingOf(call, { ...given, createScopes })
  const running = await entries.running(call, userId)
  if (running !== undefined)
    throw conflict('already_done', `${user.name} is already clocked in. Clock out with clockOut first.`)
  const date = dateIn(timeZone, new Date(startedAt))
  const sheet = await sheetFor(call, userId, date)
  assertOpen(sheet)
  const time = { date, startedAt, endedAt: null, hours: null, breakMinutes: 0 }
  return addEntry(call, sheet, { ...posting, ...time, payType: 'regular', notes, startLocation })
}

/** Ends the time of a user who is clocked in. */
export async function clockOut(call: WriteCall, body: Checked['ClockOut']): Promise<TimeEntry> {
  const { userId, at, breakMinutes, notes, endLocation } = body
  const endedAt = clockedAt(at, call.now)
  const user = await timesheets.lockUser(call, userId)
  const running = await entries.running(call, userId)
  if (running === undefined)
    throw conflict('missing_data', `${user.name} is not clocked in. Clock in with clockIn first.`)
  const sheet = await timesheets.lock(call, running.timesheetId)
  assertOpen(sheet)
  const { date, ...times } = pointedAt(() =>
    timesOf({ endedAt, breakMinutes }, running, { timeZone: call.timeZone, now: call.now }),
  )
  // The date is that of the start, which stays.
  return changeEntry(call, sheet, running, { ...times, notes, endLocation })
}

/** The user's timesheet of the week, opened if there is none. */
async function sheetFor(call: WriteCall, userId: string, date: string): Promise<Timesheet> {
  const id = await timesheets.idAround(call, userId, { date, earliest: addDays(date, -6) })
  if (id !== undefined) return timesheets.lock(call, id)
  const { weekStartsOn, overtimeRule } = await timesheets.weeksOf(call)
  return openSheet(call, { userId, weekStarting: weekStartOf(date, weekStartsOn), overtimeRule })
}

type NewSheet = Pick<Timesheet, 'userId' | 'weekStarting' | 'overtimeRule'> & {
  [Field in 'rate' | 'notes' | 'externalId']?: Timesheet[Field] | undefined
}

/** A timesheet without entries; what the user earned last is what they earn now. */
export async function openSheet(call: WriteCall, { rate, ...given }: NewSheet): Promise<Timesheet> {
  const none = { totalHours: 0, regularHours: 0, overtimeHours: 0, doubleHours: 0, ptoHours: 0, cost: 0 }
  const sheet = await timesheets.insert(call, {
    ...{ ...given, ...none, status: 'open' as const },
    rate: rate === undefined ? await timesheets.latestRate(call, given.userId, given.weekStarting) : rate,
  })
  await recordStatusChange(call, { id: sheet.id, from: null, to: sheet.status })
  return sheet
}

/** Whoever clocks out sends `at` where the entry has its end. */
function pointedAt<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    const faults = error instanceof Problem ? error.extras.errors : undefined
    if (!(error instanceof Problem) || faults === undefined) throw error
    const errors = faults.map((fault) => (fault.pointer === '/endedAt' ? { ...fault, pointer: '/at' } : fault))
    throw error.pointingAt(errors)
  }
}
