import type { FieldError, TimeEntry, Timesheet } from '../../../../client/contract.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { addDays, countHoursOfDay, parseTimestamp, toLocalDate } from '../../../platform/values/calendar.ts'
import { countHoursBetween } from './count-hours.ts'

/**
 * The time of an entry: hours on a date, a period between two times, or only a start time while the user is clocked in.
 */
export type EntryTimes = Pick<TimeEntry, 'date' | 'startedAt' | 'endedAt' | 'breakMinutes' | 'hours'>

/** The times in a request. Undefined fields keep their values. */
export interface TimesInput {
  date?: string | undefined
  hours?: number | undefined
  startedAt?: string | null | undefined
  endedAt?: string | null | undefined
  breakMinutes?: number | undefined
}

const HOUR_MS = 3_600_000
/** Long enough for a phone that was offline, but short enough to affect only the latest payroll. */
const MAX_DAYS_BACK = 31

/**
 * Returns the times of an entry after the given fields replace the current fields. `timeZone` is the time zone of the
 * home or organization.
 */
export function resolveEntryTimes(
  provided: TimesInput,
  before: EntryTimes | null,
  { timeZone, now }: { timeZone: string; now: Date },
): EntryTimes {
  const startedAt =
    provided.startedAt === undefined ? (before?.startedAt ?? null) : normalizeTimestamp(provided.startedAt)
  return startedAt === null
    ? toStatedTimes(provided, before)
    : toClockedTimes({ ...provided, startedAt }, before, timeZone, now)
}

function toStatedTimes(provided: TimesInput, before: EntryTimes | null): EntryTimes {
  const errors: FieldError[] = []
  const wasStated = before !== null && before.startedAt === null
  const hours = provided.hours ?? (wasStated ? before.hours : null)
  const date = provided.date ?? before?.date ?? ''
  if (provided.endedAt != null) errors.push(notCombinable('/endedAt', 'requires startedAt'))
  if ((provided.breakMinutes ?? 0) > 0) errors.push(notCombinable('/breakMinutes', 'requires startedAt'))
  if (hours === null) errors.push(missingField('/hours', 'is required unless startedAt is set'))
  if (date === '') errors.push(missingField('/date', 'is required unless startedAt is set'))
  if (errors.length > 0) throw validationFailed(errors)
  return { date, startedAt: null, endedAt: null, breakMinutes: 0, hours }
}

function toClockedTimes(
  provided: TimesInput & { startedAt: string },
  before: EntryTimes | null,
  timeZone: string,
  now: Date,
): EntryTimes {
  const { startedAt } = provided
  const endedAt = provided.endedAt === undefined ? (before?.endedAt ?? null) : normalizeTimestamp(provided.endedAt)
  const breakMinutes = provided.breakMinutes ?? before?.breakMinutes ?? 0
  const isRunning = before !== null && before.startedAt !== null && before.endedAt === null
  const date = toLocalDate(timeZone, new Date(startedAt))
  const maxHours = findMaxHours(timeZone, date)
  const errors: FieldError[] = []
  if (provided.hours !== undefined) errors.push(notCombinable('/hours', 'cannot be combined with startedAt'))
  if (provided.date !== undefined) errors.push(notCombinable('/date', 'cannot be combined with startedAt'))
  if (endedAt === null) {
    if (!isRunning)
      errors.push(
        missingField('/endedAt', 'is required when startedAt is set; to start a running time entry, use clockIn'),
      )
    if (startedAt > now.toISOString()) errors.push(tooEarlyOrLate('/startedAt'))
  } else {
    const passed = Date.parse(endedAt) - Date.parse(startedAt)
    if (passed < 0) errors.push({ pointer: '/endedAt', code: 'order', message: `must not be before ${startedAt}` })
    else if (passed > maxHours * HOUR_MS) {
      const message = `must be at most ${maxHours} hours after ${startedAt}`
      errors.push({ pointer: '/endedAt', code: 'maximum', message })
    } else if (breakMinutes * 60_000 > passed) {
      const message = `must not be longer than the time from ${startedAt} to ${endedAt}`
      errors.push({ pointer: '/breakMinutes', code: 'maximum', message })
    }
  }
  if (errors.length > 0) throw validationFailed(errors)
  const hours = endedAt === null ? null : countHoursBetween(startedAt, endedAt, breakMinutes)
  return { date, startedAt, endedAt, breakMinutes, hours }
}

function normalizeTimestamp(timestamp: string | null): string | null {
  return timestamp === null ? null : parseTimestamp(timestamp).toISOString()
}

function notCombinable(pointer: string, message: string): FieldError {
  return { pointer, code: 'exclusive', message }
}

function missingField(pointer: string, message: string): FieldError {
  return { pointer, code: 'required', message }
}

function tooEarlyOrLate(pointer: string): FieldError {
  return { pointer, code: 'maximum', message: 'must not be in the future' }
}

/** The maximum time by which the clock of a phone may be ahead of the clock of the service. */
const CLOCK_TOLERANCE_MS = 2 * 60 * 1000

/** Returns the time of clocking in or out, which is now unless the user entered an earlier time. */
export function resolveClockTime(at: string | undefined, now: Date): string {
  if (at === undefined) return now.toISOString()
  const timestamp = parseTimestamp(at)
  if (timestamp.getTime() > now.getTime() + CLOCK_TOLERANCE_MS) throw validationFailed([tooEarlyOrLate('/at')])
  if (timestamp > now) return now.toISOString()
  const earliest = addDays(now.toISOString().slice(0, 10), -MAX_DAYS_BACK)
  if (timestamp.toISOString() < earliest)
    throw validationFailed([{ pointer: '/at', code: 'minimum', message: `must not be before ${earliest}` }])
  return timestamp.toISOString()
}

export function assertWithinWeek({ date, startedAt }: EntryTimes, { weekStarting }: Timesheet): void {
  const end = addDays(weekStarting, 6)
  if (date >= weekStarting && date <= end) return
  const pointer = startedAt === null ? '/date' : '/startedAt'
  const there = startedAt === null ? '' : `; it is on ${date}`
  const message = `must be in the week of the timesheet (${weekStarting} to ${end})${there}`
  throw validationFailed([{ pointer, code: 'out_of_week', message }])
}

/**
 * Returns the maximum number of hours on a date: 24, or 25 when clocks are set back. If a day has 23 hours, the maximum
 * is still 24, because the work can end on the next day.
 */
function findMaxHours(timeZone: string, date: string): number {
  return Math.max(24, countHoursOfDay(timeZone, date))
}

/**
 * Throws if the hours on a date exceed the hours of the day. `others` is the total of the user's other hours on the
 * date.
 */
export function assertHoursFitDay({ date, startedAt, hours }: EntryTimes, others: number, timeZone: string): void {
  const maxHours = findMaxHours(timeZone, date)
  if (hours === null || hours + others <= maxHours) return
  const pointer = startedAt === null ? '/hours' : '/endedAt'
  throw validationFailed([
    {
      pointer,
      code: 'maximum',
      message: `must not raise the total for ${date} above ${maxHours} hours; ${others} hours are already recorded`,
    },
  ])
}
