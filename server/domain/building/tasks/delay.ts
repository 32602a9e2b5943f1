import type {
  DelayReason,
  DelayResponsible,
  FieldError,
  Task,
  TaskDelayCreate,
} from '../../../../client/contract.gen.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { describeStatus, formatNumber } from '../../../platform/values/format.ts'
import type { WorkCalendar } from '../../../platform/values/workdays.ts'
import { hasPredecessors } from '../schedule/schedule-tasks.ts'
import type { Schedule } from './cascade.ts'
import { type TaskChanges, toStartConstraint } from './task.ts'

/** For each reason, the party that is responsible for the delay by default. */
const DEFAULT_RESPONSIBLE: Readonly<Record<DelayReason, DelayResponsible>> = {
  weather: 'builder',
  vendor_no_show: 'vendor',
  vendor_error: 'vendor',
  poor_workmanship: 'vendor',
  material_delay: 'vendor',
  failed_inspection: 'vendor',
  permit: 'builder',
  design_change: 'builder',
  late_selection: 'customer',
  theft_vandalism: 'builder',
  builder: 'builder',
  other: 'builder',
}

/** A task with more delays should be scheduled again. */
const MAX_DELAYS = 100
/** The maximum of durationDays in the API contract. */
const MAX_DURATION_DAYS = 1000

interface DelayInput {
  days?: number | undefined
  newStart?: string | undefined
}

/** Returns the number of workdays of a delay and the fields that it changes. `at` is the JSON pointer of the input. */
export function planDelay(
  task: Task,
  { days, newStart }: DelayInput,
  { calendar, tasks, dataDate }: Pick<Schedule, 'calendar' | 'tasks' | 'dataDate'>,
  at: (field: string) => string,
): { days: number; changes: TaskChanges } {
  if (task.status === 'completed' || task.status === 'skipped') {
    throw conflict('wrong_status', `Cannot delay ${task.name}: it is ${describeStatus(task.status)}.`)
  }
  if ((days === undefined) === (newStart === undefined)) {
    const fault: FieldError =
      days === undefined
        ? { pointer: at('days'), code: 'required', message: 'is required unless newStart is set' }
        : { pointer: at('newStart'), code: 'exclusive', message: 'cannot be combined with days' }
    throw validationFailed([fault])
  }
  if (task.actualStart !== null) return extendDuration(task, days, calendar, dataDate)
  // If a task is scheduled on a day off, the next workday counts as one day later.
  const from = task.workdayOverride ? calendar.onOrBefore(task.plannedStart) : task.plannedStart
  const date = newStart ?? calendar.add(from, days ?? 0)
  const later = calendar.between(from, date)
  if (later < 1) {
    throw validationFailed([
      { pointer: at('newStart'), code: 'minimum', message: `must be after the planned start (${task.plannedStart})` },
    ])
  }
  // If predecessors determine the start, add the delay to the lags of the links, so that the task still moves when a
  // predecessor slips later. Otherwise, set the date of the constraint.
  if (isHeldByOthers(task, tasks)) return { days: later, changes: { startDelayDays: task.startDelayDays + later } }
  return { days: later, changes: { constraint: toStartConstraint(date, task) } }
}

/** Returns whether the start of a task is determined by its predecessors instead of its constraint. */
function isHeldByOthers(task: Task, tasks: readonly Task[]): boolean {
  const { type, date } = task.constraint
  if (type === 'must_start_on' || type === 'hold' || !hasPredecessors(task, tasks)) return false
  return type === 'none' || date === null || date < task.plannedStart
}

/**
 * Returns the changes that delay the end of a started task. The delay is relative to the expected end, which can be
 * later than the planned end.
 */
function extendDuration(
  task: Task,
  days: number | undefined,
  calendar: WorkCalendar,
  dataDate: string | null,
): { days: number; changes: TaskChanges } {
  if (days === undefined)
    throw conflict(
      'missing_data',
      `Cannot move the start of ${task.name}: the task has already started. Set days instead.`,
    )
  if (task.durationDays === 0)
    throw conflict('missing_data', `Cannot delay ${task.name}: it has started and has no duration.`)
  const expectedEnd = dataDate !== null && dataDate > task.earlyFinish ? dataDate : task.earlyFinish
  const added = days + Math.max(calendar.between(task.plannedEnd, expectedEnd), 0)
  const durationDays = task.durationDays + added
  if (durationDays > MAX_DURATION_DAYS)
    throw conflict(
      'limit_reached',
      `Cannot delay ${task.name}: its duration would exceed ${formatNumber(MAX_DURATION_DAYS)} workdays. Set fewer days.`,
    )
  const { remainingDays } = task
  return { days, changes: { durationDays, ...(remainingDays !== null && { remainingDays: remainingDays + added }) } }
}

/** Returns the task's delays, including the new delay. */
export function addDelay(task: Task, body: TaskDelayCreate, days: number, now: Date): Task['delays'] {
  const { reasonCode, responsible = DEFAULT_RESPONSIBLE[reasonCode], note = null } = body
  if (reasonCode === 'other' && note === null) {
    throw validationFailed([{ pointer: '/note', code: 'required', message: 'is required when reasonCode is other' }])
  }
  if (task.delays.length >= MAX_DELAYS)
    throw conflict(
      'limit_reached',
      `Cannot delay ${task.name}: it has already been delayed ${MAX_DELAYS} times, the maximum.`,
    )
  const vendorId = body.vendorId === undefined ? (responsible === 'vendor' ? task.vendorId : null) : body.vendorId
  return [...task.delays, { reasonCode, days, responsible, vendorId, note, at: now.toISOString() }]
}
