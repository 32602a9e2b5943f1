import type {
  FieldError,
  Task,
  TaskConstraintInput,
  TaskPredecessor,
  TaskStatus,
} from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { conflict, invalidTransition, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { formatTaskNames } from '../schedule/schedule-guards.ts'
import { NOT_REQUESTED } from './confirmation.ts'

/**
 * The maximum number of tasks in the schedule of a home. A home has 100 to 400 tasks, and every change of a task reads
 * and reschedules all of them.
 */
export const MAX_TASKS = 1000

/** The fields that can be set when a task changes. */
export type TaskFields = Omit<Task, 'id' | 'version' | 'createdBy' | 'createdAt' | 'updatedAt' | 'archivedAt'>
export type TaskChanges = Partial<TaskFields>

export function toTaskFields(task: Task): TaskFields {
  const { id: _id, version: _version, createdBy: _by, createdAt: _created, updatedAt: _updated, ...rest } = task
  const { archivedAt: _archived, ...fields } = rest
  return fields
}

/** Returns the statuses to which the task can change. A task on hold returns to its previous status. */
export function listPossibleStatuses({ status, actualStart }: Pick<Task, 'status' | 'actualStart'>): TaskStatus[] {
  if (status === 'on_hold') return [actualStart === null ? 'not_started' : 'in_progress']
  return TASK_MOVES[status]
}

const TASK_MOVES: Readonly<Record<Exclude<TaskStatus, 'on_hold'>, TaskStatus[]>> = {
  not_started: ['in_progress', 'completed', 'on_hold', 'skipped'],
  in_progress: ['completed', 'on_hold'],
  completed: ['in_progress'],
  skipped: ['not_started'],
}

/** Returns a new task before it is scheduled. `today` is the current date in the community's time zone. */
export function buildTask(body: Checked['TaskCreate'], today: string): Omit<TaskFields, 'communityId' | 'sequence'> {
  const {
    homeId,
    name,
    spanishName = null,
    taskKind,
    durationDays,
    checklist,
    predecessors,
    poIds,
    payOnComplete,
  } = body
  const errors = [
    ...findDurationErrors(body.taskKind, durationDays),
    ...findConstraintErrors(body, null),
    ...findPredecessorErrors(predecessors),
  ]
  if (errors.length > 0) throw validationFailed(errors)
  const requested = chooseConstraint(body, null) ?? { type: 'none' as const, date: null }
  const start = requested.date ?? today
  const { scope = null, phase = null, vendorId = null, assigneeUserId = null, externalId = null } = body
  return {
    ...{ homeId, name, spanishName, scope, phase, taskKind, vendorId, assigneeUserId, externalId },
    status: 'not_started',
    ...{
      durationDays: durationDays ?? getDefaultDuration(taskKind),
      constraint: requested,
      workdayOverride: body.workdayOverride,
      startDelayDays: 0,
      predecessors,
      checklist,
    },
    ...{ plannedStart: start, plannedEnd: start, earlyStart: start, earlyFinish: start, lateStart: start },
    ...{ lateFinish: start, totalFloatDays: 0, isCritical: false, percentComplete: 0, delays: [] },
    ...NOTHING_REPORTED,
    ...{ baselineStart: null, baselineEnd: null, actualStart: null, actualEnd: null, notifiedStart: null },
    ...{ notifiedAt: null, confirmation: NOT_REQUESTED, inspectionResult: null, releasedScopes: [] },
    ...{ poIds, payOnComplete },
  }
}

/**
 * Returns the fields of an update in the form in which they are stored. `today` is the current date in the community's
 * time zone.
 */
export function toTaskChanges(body: Checked['TaskUpdate'], before: Task, today: string): TaskChanges {
  const { plannedStart, constraint, percentComplete, remainingDays, durationDays, ...rest } = body
  const taskKind = body.taskKind ?? before.taskKind
  const duration =
    durationDays ?? (taskKind === before.taskKind ? before.durationDays : chooseDuration(before, taskKind))
  const errors = [
    ...findDurationErrors(taskKind, duration),
    ...findConstraintErrors(body, before),
    ...findPredecessorErrors(body.predecessors ?? []),
  ]
  if (errors.length > 0) throw validationFailed(errors)
  if (plannedStart !== undefined && before.actualStart !== null) {
    throw conflict(
      'fixed',
      `Cannot change the planned start: ${before.name} started on ${formatDate(before.actualStart)}.`,
    )
  }
  if (percentComplete !== undefined && (before.actualStart === null || before.status === 'completed')) {
    throw conflict(
      'fixed',
      before.status === 'completed'
        ? `Cannot set the percentage of completion: ${before.name} is already completed.`
        : `Cannot set the percentage of completion: ${before.name} has not started.`,
    )
  }
  if (remainingDays != null && (before.actualStart === null || before.status === 'completed')) {
    throw conflict(
      'fixed',
      before.status === 'completed'
        ? `Cannot set the remaining days: ${before.name} is already completed.`
        : `Cannot set the remaining days: ${before.name} has not started.`,
    )
  }
  if (remainingDays != null && duration === 0) {
    throw conflict('fixed', `Cannot set the remaining days: ${before.name} has no duration.`)
  }
  const requested = chooseConstraint(body, before)
  return {
    ...omitUndefined(rest),
    durationDays: duration,
    // A new date replaces earlier delays.
    ...(requested !== null && { constraint: requested, startDelayDays: 0 }),
    ...(percentComplete !== undefined && { percentComplete }),
    // A new duration replaces remaining days that were reported earlier.
    ...(remainingDays != null
      ? { remainingDays, remainingAsOf: today }
      : (remainingDays === null || duration !== before.durationDays) && NOTHING_REPORTED),
    ...(taskKind !== 'inspection' && { inspectionResult: null, releasedScopes: [] }),
    // A newly assigned vendor has been neither notified nor asked to confirm the start.
    ...(rest.vendorId !== undefined && rest.vendorId !== before.vendorId && NOT_NOTIFIED),
  }
}

const NOTHING_REPORTED = { remainingDays: null, remainingAsOf: null }

const NOT_NOTIFIED = { notifiedStart: null, notifiedAt: null, confirmation: NOT_REQUESTED }

/** Removes undefined fields, so that the others can be merged into a task. */
function omitUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]: Exclude<Fields[Name], undefined>
  }
}

/** Returns the default duration of this kind of task, in workdays. */
export function getDefaultDuration(taskKind: Task['taskKind']): number {
  return taskKind === 'milestone' ? 0 : 1
}

function chooseDuration({ durationDays }: Task, taskKind: Task['taskKind']): number {
  return taskKind === 'milestone' || durationDays === 0 ? getDefaultDuration(taskKind) : durationDays
}

export function findDurationErrors(taskKind: Task['taskKind'], durationDays: number | undefined): FieldError[] {
  if (durationDays === undefined || (durationDays === 0) === (taskKind === 'milestone')) return []
  const message =
    taskKind === 'milestone'
      ? 'must be 0 when taskKind is milestone'
      : 'must be at least 1 unless taskKind is milestone'
  return [{ pointer: '/durationDays', code: 'duration', message }]
}

interface DateConstraint {
  plannedStart?: string | undefined
  constraint?: TaskConstraintInput | undefined
}

function findConstraintErrors({ plannedStart, constraint }: DateConstraint, before: Task | null): FieldError[] {
  if (constraint === undefined) return []
  if (plannedStart !== undefined) {
    return [{ pointer: '/plannedStart', code: 'exclusive', message: 'cannot be combined with constraint' }]
  }
  const { type, date = null } = constraint
  if (type === 'none' && date !== null) {
    return [{ pointer: '/constraint/date', code: 'exclusive', message: 'must be omitted when type is none' }]
  }
  if (type === 'none' || date !== null || (type === 'hold' && before !== null)) return []
  return [{ pointer: '/constraint/date', code: 'required', message: `is required when type is ${type}` }]
}

/** Returns the requested constraint; null if the request has no constraint. */
function chooseConstraint(
  { plannedStart, constraint }: DateConstraint,
  before: Task | null,
): Task['constraint'] | null {
  if (constraint !== undefined) {
    const { type, date = null } = constraint
    return { type, date: type === 'hold' ? (date ?? before?.plannedStart ?? null) : date }
  }
  if (plannedStart === undefined) return null
  return toStartConstraint(plannedStart, before)
}

/**
 * Returns the constraint that moves a task to a date. A fixed or held constraint receives the new date. Otherwise, the
 * date becomes the earliest start.
 */
export function toStartConstraint(date: string, before: Pick<Task, 'constraint'> | null): Task['constraint'] {
  const type = before?.constraint.type ?? 'none'
  return { type: type === 'must_start_on' || type === 'hold' ? type : 'start_no_earlier_than', date }
}

function findPredecessorErrors(predecessors: readonly TaskPredecessor[]): FieldError[] {
  const seen = new Set<string>()
  return predecessors.flatMap(({ taskId, type }, i) => {
    const isNew = !seen.has(`${taskId} ${type}`)
    seen.add(`${taskId} ${type}`)
    return isNew
      ? []
      : [
          {
            pointer: `/predecessors/${i}/taskId`,
            code: 'unique',
            message: `must be unique; another predecessor has the same taskId and the type ${type}`,
          },
        ]
  })
}

/** Throws unless all predecessors are tasks of the same home. */
export function assertPredecessorsBelongToHome(predecessors: readonly TaskPredecessor[], tasks: readonly Task[]): void {
  const known = new Set(tasks.map(({ id }) => id))
  const unknown = predecessors.flatMap(({ taskId }, i) => (known.has(taskId) ? [] : [`/predecessors/${i}/taskId`]))
  if (unknown.length > 0) throw unknownReference(unknown)
}

/** Returns the reason why the task cannot be archived; null if it can be archived. */
export function explainWhyTaskCannotBeArchived(task: Task, tasks: readonly Task[]): string | null {
  if (task.actualStart !== null)
    return `Cannot archive ${task.name}: it has started. Tasks that have started stay in the history of the home.`
  const waiting = tasks.filter(({ predecessors }) => predecessors.some(({ taskId }) => taskId === task.id))
  if (waiting.length === 0) return null
  const [verb, successors] = waiting.length === 1 ? ['waits', 'this task'] : ['wait', 'these tasks']
  return `Cannot archive ${task.name}: ${formatTaskNames(waiting)} ${verb} for it. Remove ${task.name} from the predecessors of ${successors} first.`
}

/**
 * Returns the open predecessors that must be done before the task starts. Follows the predecessors of a skipped task,
 * as the schedule does. A link requires its predecessor to be done if it starts at the predecessor's finish. An
 * inspection that has not passed blocks all trades, except those that it released.
 */
export function listOpenPredecessors<Predecessor extends PredecessorState>(
  task: Pick<Task, 'scope' | 'predecessors'>,
  tasks: readonly Predecessor[],
): Predecessor[] {
  const byId = new Map(tasks.map((each) => [each.id, each]))
  const open = new Map<string, Predecessor>()
  const seen = new Set<string>()
  const visit = (predecessors: Task['predecessors']) => {
    for (const { taskId, type } of predecessors) {
      const before = byId.get(taskId)
      if (before?.status === 'skipped') {
        if (seen.has(taskId)) continue
        seen.add(taskId)
        visit(before.predecessors)
      } else if (before !== undefined && type.startsWith('F')) {
        // Earlier versions completed the task of a failed inspection.
        const isDone = before.status === 'completed' && before.inspectionResult !== 'failed'
        if (!isDone && !isReleased(task, before)) open.set(taskId, before)
      }
    }
  }
  visit(task.predecessors.filter(({ type }) => type.endsWith('S')))
  return [...open.values()]
}

/** The fields of a task that determine whether its successors can start. */
type PredecessorState = Pick<Task, 'id' | 'status' | 'inspectionResult' | 'releasedScopes' | 'predecessors'>

/** Returns whether a failed inspection allows the task to start. */
function isReleased({ scope }: Pick<Task, 'scope'>, { releasedScopes }: PredecessorState): boolean {
  return scope !== null && releasedScopes.includes(scope)
}

/**
 * Returns the changes to the task when its status changes to a status other than completed. Other tasks do not affect
 * these changes. `today` is the current date in the community's time zone.
 */
export function planStatusMove(task: Task, body: Checked['TaskStatusMove'], today: string): TaskChanges {
  const allowed = listPossibleStatuses(task)
  if (!allowed.includes(body.status)) throw invalidTransition(task.status, body.status, allowed)
  const begins = body.status === 'in_progress' && task.actualStart === null
  const reopens = task.status === 'completed'
  const errors = [
    ...findReasonErrors(body, reopens),
    ...(body.date === undefined || begins
      ? findFutureDateErrors('/date', body.date, today)
      : [{ pointer: '/date', code: 'exclusive', message: 'can only be set when the task starts' }]),
  ]
  if (errors.length > 0) throw validationFailed(errors)
  return {
    status: body.status,
    ...(begins && { actualStart: body.date ?? today }),
    ...(reopens && { actualEnd: null, percentComplete: 0, inspectionResult: null, releasedScopes: [] }),
    ...(reopens && NOTHING_REPORTED),
  }
}

/**
 * Returns the changes to the task when it is completed. Other tasks do not affect these changes. The task of a failed
 * inspection is not completed; see `planFailedInspection`.
 */
export function planCompletion(task: Task, body: Checked['TaskCompletion'], today: string): TaskChanges {
  const allowed = listPossibleStatuses(task)
  if (!allowed.includes('completed')) throw invalidTransition(task.status, 'completed', allowed)
  const { date = today, checklist = task.checklist, inspectionResult = null } = body
  const isInspection = task.taskKind === 'inspection'
  const start = task.actualStart ?? body.startDate ?? [task.plannedStart, date].sort()[0] ?? date
  const errors: FieldError[] = [...findReasonErrors(body, false), ...findFutureDateErrors('/date', date, today)]
  if (isInspection && inspectionResult === null)
    errors.push({ pointer: '/inspectionResult', code: 'required', message: 'is required when taskKind is inspection' })
  if (!isInspection && inspectionResult !== null)
    errors.push({
      pointer: '/inspectionResult',
      code: 'exclusive',
      message: 'can only be set when taskKind is inspection',
    })
  if (body.startDate !== undefined && task.actualStart !== null)
    errors.push({
      pointer: '/startDate',
      code: 'exclusive',
      message: `cannot be set: the task started on ${task.actualStart}`,
    })
  else if (start > date) {
    const pointer = body.startDate === undefined ? '/date' : '/startDate'
    errors.push({
      pointer,
      code: 'order',
      message: `must not put the start after the completion date: ${start} is after ${date}`,
    })
  }
  if (errors.length > 0) throw validationFailed(errors)
  if (inspectionResult === 'failed') return { actualStart: start, checklist, inspectionResult }
  const open = checklist.filter(({ done }) => !done)
  if (open.length > 0 && !body.force) {
    const [first] = open
    throw conflict(
      'open_work',
      `Cannot complete ${task.name}: its checklist has ${open.length === 1 ? '1 open item' : `${open.length} open items`}, first "${first?.text.slice(0, 200)}". To complete it anyway, set force and a reason.`,
    )
  }
  return {
    ...{ status: 'completed', actualStart: start, actualEnd: date, percentComplete: 100, ...NOTHING_REPORTED },
    ...{ checklist, inspectionResult, releasedScopes: [] },
  }
}

/** Throws `conflict` if other tasks must be done before this task starts, unless `force` is true. */
export function assertTaskCanStart(task: Task, tasks: readonly Task[], { force }: { force: boolean }): void {
  const open = force ? [] : listOpenPredecessors(task, tasks)
  if (open.length > 0) {
    throw conflict(
      'open_work',
      `${task.name} cannot start before ${formatTaskNames(open)} ${open.length === 1 ? 'is' : 'are'} done. To start it anyway, set force and a reason.`,
    )
  }
}

function findReasonErrors(
  { force, reason = null }: { force: boolean; reason?: string | null | undefined },
  isRequired: boolean,
): FieldError[] {
  if (reason !== null || !(force || isRequired)) return []
  const what = force ? 'is required when force is true' : 'is required to reopen a completed task'
  return [{ pointer: '/reason', code: 'required', message: what }]
}

function findFutureDateErrors(pointer: string, date: string | undefined, today: string): FieldError[] {
  if (date === undefined || date <= today) return []
  return [{ pointer, code: 'maximum', message: `must not be after today (${today})` }]
}
