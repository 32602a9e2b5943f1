import type { Timesheet, TimesheetStatus } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { conflict, problem, validationFailed } from '../../../platform/problems/problem.ts'
import { addDays, getStartOfWeek } from '../../../platform/values/calendar.ts'
import { formatDate } from '../../../platform/values/format.ts'

export const TIMESHEET_MOVES: Readonly<Record<TimesheetStatus, readonly TimesheetStatus[]>> = {
  open: ['submitted'],
  submitted: ['approved', 'rejected'],
  rejected: ['open'],
  approved: ['exported'],
  exported: [],
}

/** Enough for 28 entries per day. Every change counts the whole week again in memory. */
export const MAX_ENTRIES = 200

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

export function assertWeekStart(date: string, weekStartsOn: number): void {
  const start = getStartOfWeek(date, weekStartsOn)
  if (start === date) return
  const message = `must be a ${WEEKDAYS[weekStartsOn - 1]}, the first day of a week, for example ${start} or ${addDays(start, 7)}`
  throw validationFailed([{ pointer: '/weekStarting', code: 'week_start', message }])
}

/** Throws `conflict` unless the week is open. */
export function assertTimesheetOpen({ status, weekStarting }: Timesheet): void {
  if (status === 'open') return
  const remedy = status === 'rejected' ? ' Reopen it first.' : ''
  throw conflict(
    'wrong_status',
    `Cannot change the time entries: the timesheet for the week of ${formatDate(weekStarting)} is ${status}.${remedy}`,
  )
}

/**
 * Throws `conflict` if the timesheet is approved or exported to payroll. From its approval on, the budgets include its
 * entries.
 */
export function assertTimesheetNotApproved({ status, weekStarting }: Timesheet): void {
  if (status !== 'approved' && status !== 'exported') return
  throw conflict(
    'wrong_status',
    `Cannot change the timesheet for the week of ${formatDate(weekStarting)}: it is ${status}.`,
  )
}

/**
 * The permission to see and set wages. Roles that can only read may also read payments, so reading payments is not a
 * sufficient permission.
 */
const RATES_PERMISSION = 'payments:write'

export function canSeeRates({ permissions }: Pick<Call, 'permissions'>): boolean {
  return permissions.has(RATES_PERMISSION)
}

export function assertCanSetRate(call: Call, rate: number | null | undefined): void {
  if (rate === undefined || canSeeRates(call)) return
  throw problem('permission_denied', `Setting rate requires ${RATES_PERMISSION}.`, { permission: RATES_PERMISSION })
}

/**
 * Throws if a user approves their own timesheet without the permission to set wages. Applies only to signed-in users,
 * because a key acts for the organization.
 */
export function assertCanApproveTimesheet({ principal, permissions }: Call, { userId }: Timesheet): void {
  if (principal.kind !== 'user' || principal.id !== userId || permissions.has(RATES_PERMISSION)) return
  throw problem('permission_denied', `Approving your own timesheet requires ${RATES_PERMISSION}.`, {
    permission: RATES_PERMISSION,
  })
}

/** Returns the timesheet or entry without rates and costs, unless the caller may see wages. */
export function hideRates<Record extends { rate: number | null; cost: number | null }>(
  call: Call,
  record: Record,
): Record {
  return canSeeRates(call) ? record : { ...record, rate: null, cost: null }
}
