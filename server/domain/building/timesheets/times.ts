import type { FieldError, TimeEntry, Timesheet } from '../../../../client/contract.gen.ts'
import { invalid } from '../../../platform/problems/problem.ts'
import { addDays, dateIn, instantOf } from '../../../platform/values/calendar.ts'
import { hoursBetween } from './hours.ts'

/** The time of an entry: hours on a date, from one time to another, or from a time on while clocked in. */
export type Times = Pick<TimeEntry, 'date' | 'startedAt' | 'endedAt' | 'breakMinutes' | 'hours'>

/** The input fields. Undefined fields keep their value. */
export interface Given {
  date?: string | undefined
  hours?: number | undefined
  startedAt?: string | null | undefined
  endedAt?: string | null | undefined
  breakMinutes?: number | undefined
}

const MOST_HOURS = 24
const HOUR_MS = 3_600_000
/** Long enough for a phone that was offline, short enough to be within the same payroll. */
const MOST_DAYS_BACK = 31

/**
 * Returns the times of an entry: the given fields, merged into the current ones. `timeZone` is that of the home or
 * organization.
 */
export function timesOf(given: Given, before: Times | null, { timeZone, now }: { timeZone: string; now: Date }): Times {
  const startedAt = given.startedAt === undefined ? (before?.startedAt ?? null) : normalized(given.startedAt)
  return startedAt === null ? statedTimes(given, before) : clockedTimes({ ...given, startedAt }, before, timeZone, now)
}

function statedTimes(given: Given, before: Times | null): Times {
  const faults: FieldError[] = []
  const wasStated = before !== null && before.startedAt === null
  const hours = given.hours ?? (wasStated ? before.hours : null)
  const date = given.date ?? before?.date ?? ''
  if (given.endedAt != null) faults.push(exclusive('/endedAt', 'requires startedAt'))
  if ((given.breakMinutes ?? 0) > 0) faults.push(exclusive('/breakMinutes', 'requires startedAt'))
  if (hours === null) faults.push(required('/hours', 'is required unless startedAt is set'))
  if (date === '') faults.push(required('/date', 'is required unless startedAt is set'))
  if (faults.length > 0) throw invalid(faults)
  return { date, startedAt: null, endedAt: null, breakMinutes: 0, hours }
}

function clockedTimes(given: Given & { startedAt: string }, before: Times | null, timeZone: string, now: Date): Times {
  const { startedAt } = given
  const endedAt = given.endedAt === undefined ? (before?.endedAt ?? null) : normalized(given.endedAt)
  const breakMinutes = given.breakMinutes ?? before?.breakMinutes ?? 0
  const isRunning = before !== null && before.startedAt !== null && before.endedAt === null
  const faults: FieldError[] = []
  if (given.hours !== undefined) faults.push(exclusive('/hours', 'cannot be combined with startedAt'))
  if (given.date !== undefined) faults.push(exclusive('/date', 'cannot be combined with startedAt'))
  if (endedAt === null) {
    if (!isRunning)
      faults.push(
        required('/endedAt', 'is required when startedAt is set; to start time that is still running, use clockIn'),
      )
    if (startedAt > now.toISOString()) faults.push(late('/startedAt'))
  } else {
    const passed = Date.parse(endedAt) - Date.parse(startedAt)
    if (passed < 0) faults.push({ pointer: '/endedAt', code: 'order', message: `must not be before ${startedAt}` })
    else if (passed > MOST_HOURS * HOUR_MS) {
      const message = `must be at most ${MOST_HOURS} hours after ${startedAt}`
      faults.push({ pointer: '/endedAt', code: 'maximum', message })
    } else if (breakMinutes * 60_000 > passed) {
      const message = `must not be longer than the time from ${startedAt} to ${endedAt}`
      faults.push({ pointer: '/breakMinutes', code: 'maximum', message })
    }
  }
  if (faults.length > 0) throw invalid(faults)
  const hours = endedAt === null ? null : hoursBetween(startedAt, endedAt, breakMinutes)
  return { date: dateIn(timeZone, new Date(startedAt)), startedAt, endedAt, breakMinutes, hours }
}

function normalized(instant: string | null): string | null {
  return instant === null ? null : instantOf(instant).toISOString()
}

function exclusive(pointer: string, message: string): FieldError {
  return { pointer, code: 'exclusive', message }
}

function required(pointer: string, message: string): FieldError {
  return { pointer, code: 'required', message }
}

function late(pointer: string): FieldError {
  return { pointer, code: 'maximum', message: 'must not be in the future' }
}

/** Returns the time of clocking in or out: now, or the earlier time that the user gave. */
export function clockedAt(at: string | undefined, now: Date): string {
  if (at === undefined) return now.toISOString()
  const instant = instantOf(at)
  if (instant > now) throw invalid([late('/at')])
  const earliest = addDays(now.toISOString().slice(0, 10), -MOST_DAYS_BACK)
  if (instant.toISOString() < earliest)
    throw invalid([{ pointer: '/at', code: 'minimum', message: `must not be before ${earliest}` }])
  return instant.toISOString()
}

export function assertInWeek({ date, startedAt }: Times, { weekStarting }: Timesheet): void {
  const end = addDays(weekStarting, 6)
  if (date >= weekStarting && date <= end) return
  const pointer = startedAt === null ? '/date' : '/startedAt'
  const there = startedAt === null ? '' : `; it is on ${date}`
  const message = `must be in the week of the timesheet (${weekStarting} to ${end})${there}`
  throw invalid([{ pointer, code: 'out_of_week', message }])
}

/** Throws if a date has more hours than a day. `others` is the user's other hours on that date. */
export function assertInDay({ date, startedAt, hours }: Times, others: number): void {
  if (hours === null || hours + others <= MOST_HOURS) return
  const pointer = startedAt === null ? '/hours' : '/endedAt'
  throw invalid([
    {
      pointer,
      code: 'maximum',
      message: `must not bring ${date} above ${MOST_HOURS} hours; ${others} hours are already recorded`,
    },
  ])
}
