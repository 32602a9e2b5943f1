import type {
  DelayReason,
  DelayResponsible,
  FieldError,
  Task,
  TaskDelayCreate,
} from '../../../../client/contract.gen.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { describeStatus, formatNumber } from '../../../platform/values/format.ts'
import { hasPredecessors } from '../schedule/schedule-tasks.ts'
import type { Schedule } from './cascade.ts'
import { constrainToStart, type TaskChanges } from './task.ts'

/** The default for who is responsible for a delay. */
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

/** A task with more delays should be rescheduled. */
const MAX_DELAYS = 100
/** The contract's maximum of durationDays. */
const MAX_DURATION_DAYS = 1000

interface DelayInput {
  days?: number | undefined
  newStart?: string | undefined
}

/** Returns the number of workdays of a delay and the fields that it changes. `at` is the JSON pointer of the input. */
export function planDelay(
  task: Task,
  { days, newStart }: DelayInput,
  { calendar, tasks }: Pick<Schedule, 'calendar' | 'tasks'>,
  at: (field: string) => string,
): { days: number; changes: TaskChanges } {
  if (task.status === 'completed' || task.status === 'skipped') {
    throw conflict('wrong_status', `${task.name} is ${describeStatus(task.status)} and cannot be delayed.`)
  }
  if ((days === undefined) === (newStart === undefined)) {
    const fault: FieldError =
      days === undefined
        ? { pointer: at('days'), code: 'required', message: 'is required unless newStart is set' }
        : { pointer: at('newStart'), code: 'exclusive', message: 'cannot be combined with days' }
    throw validationFailed([fault])
  }
  if (task.actualStart !== null) return extendDuration(task, days)
  // From a day off on which the task is worked, the next workday is one day later.
  const from = task.workdayOverride ? calendar.onOrBefore(task.plannedStart) : task.plannedStart
  const date = newStart ?? calendar.add(from, days ?? 0)
  const later = calendar.between(from, date)
  if (later < 1) {
    throw validationFailed([
      { pointer: at('newStart'), code: 'minimum', message: `must be after the planned start (${task.plannedStart})` },
    ])
  }
  // If predecessors determine the start, the delay is added to the links, so a later slip of a predecessor moves the task
  // too. Otherwise, the constraint gets the new date.
  if (isHeldByOthers(task, tasks)) return { days: later, changes: { startDelayDays: task.startDelayDays + later } }
  return { days: later, changes: { constraint: constrainToStart(date, task) } }
}

/** Returns whether the predecessors of a task determine its start, rather than its constraint. */
function isHeldByOthers(task: Task, tasks: readonly Task[]): boolean {
  const { type, date } = task.constraint
  if (type === 'must_start_on' || type === 'hold' || !hasPredecessors(task, tasks)) return false
  return type === 'none' || date === null || date < task.plannedStart
}

function extendDuration(task: Task, days: number | undefined): { days: number; changes: TaskChanges } {
  if (days === undefined)
    throw conflict('missing_data', `${task.name} has already started, so its start cannot move. Set days instead.`)
  if (task.durationDays === 0)
    throw conflict('missing_data', `${task.name} has no duration and has started, so it cannot be delayed.`)
  const durationDays = task.durationDays + days
  if (durationDays > MAX_DURATION_DAYS)
    throw conflict(
      'limit_reached',
      `The duration of ${task.name} would exceed ${formatNumber(MAX_DURATION_DAYS)} workdays. Set fewer days.`,
    )
  return { days, changes: { durationDays } }
}

/** Returns the task's delays, including this one. */
export function addDelay(task: Task, body: TaskDelayCreate, days: number, now: Date): Task['delays'] {
  const { reasonCode, responsible = DEFAULT_RESPONSIBLE[reasonCode], note = null } = body
  if (reasonCode === 'other' && note === null) {
    throw validationFailed([{ pointer: '/note', code: 'required', message: 'is required when reasonCode is other' }])
  }
  if (task.delays.length >= MAX_DELAYS)
    throw conflict('limit_reached', `${task.name} has already been delayed ${MAX_DELAYS} times, the maximum.`)
  const vendorId = body.vendorId === undefined ? (responsible === 'vendor' ? task.vendorId : null) : body.vendorId
  return [...task.delays, { reasonCode, days, responsible, vendorId, note, at: now.toISOString() }]
}
