import type { Timesheet, TimesheetStatus } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { conflict, invalid, problem } from '../../../platform/problems/problem.ts'
import { addDays, weekStartOf } from '../../../platform/values/calendar.ts'
import { formatDate } from '../../../platform/values/format.ts'

export const TIMESHEET_MOVES: Readonly<Record<TimesheetStatus, readonly TimesheetStatus[]>> = {
  open: ['submitted'],
  submitted: ['approved', 'rejected'],
  rejected: ['open'],
  approved: ['exported'],
  exported: [],
}

/** More than 28 changes of place a day; a week is counted as a whole, in memory, with every change. */
export const MOST_ENTRIES = 200

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

export function assertWeekStart(date: string, weekStartsOn: number): void {
  const start = weekStartOf(date, weekStartsOn)
  if (start === date) return
  const message = `must be a ${WEEKDAYS[weekStartsOn - 1]}, the first day of a week, for example ${start} or ${addDays(start, 7)}`
  throw invalid([{ pointer: '/weekStarting', code: 'week_start', message }])
}

/** Refuses to change the time of a week that is not open. */
export function assertOpen({ status, weekStarting }: Timesheet): void {
  if (status === 'open') return
  const remedy = status === 'rejected' ? ' Reopen it first.' : ''
  throw conflict(
    'wrong_status',
    `Cannot change the time entries: the timesheet for the week of ${formatDate(weekStarting)} is ${status}.${remedy}`,
  )
}

/** Refuses to change what is approved, because it is in the budgets, and what payroll has. */
export function assertNotApproved({ status, weekStarting }: Timesheet): void {
  if (status !== 'approved' && status !== 'exported') return
  throw conflict(
    'wrong_status',
    `The timesheet for the week of ${formatDate(weekStarting)} is ${status} and cannot be changed.`,
  )
}

/**
 * Wages are seen by those who pay, and only they say what an hour costs. Roles that only read may read payments too, so
 * writing them is what tells the two apart.
 */
const RATES = 'payments:write'

export function seesRates({ permissions }: Pick<Call, 'permissions'>): boolean {
  return permissions.has(RATES)
}

export function assertMaySetRate(call: Call, rate: number | null | undefined): void {
  if (rate === undefined || seesRates(call)) return
  throw problem('permission_denied', `Setting rate requires ${RATES}.`, { permission: RATES })
}

/** A key acts for the organization, so only somebody who has signed in can be the one whose time it is. */
export function assertMayApprove({ principal, permissions }: Call, { userId }: Timesheet): void {
  if (principal.kind !== 'user' || principal.id !== userId || permissions.has(RATES)) return
  throw problem('permission_denied', `Approving your own timesheet requires ${RATES}.`, { permission: RATES })
}

/** The timesheet or the entry as the caller may see it. */
export function shown<Record extends { rate: number | null; cost: number | null }>(call: Call, record: Record): Record {
  return seesRates(call) ? record : { ...record, rate: null, cost: null }
}
