import type { Task, TaskConfirmation, TaskConfirmationAnswer } from '../../../../client/contract.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { describeStatus, formatDate } from '../../../platform/values/format.ts'

/** The confirmation if the vendor has not been asked to confirm the start. */
export const NOT_REQUESTED: TaskConfirmation = {
  ...{ status: 'none', proposedStart: null, note: null },
  ...{ requestedAt: null, respondedAt: null },
}

/** Returns a new confirmation in which the vendor is asked to confirm the start, without any earlier response. */
export function createRequestedConfirmation(now: string): TaskConfirmation {
  return { ...NOT_REQUESTED, status: 'requested', requestedAt: now }
}

/** Returns whether the task has not started. After a task has started, its vendor is not notified of the start. */
export function isUpcoming({ actualStart, status }: Pick<Task, 'actualStart' | 'status'>): boolean {
  return actualStart === null && (status === 'not_started' || status === 'on_hold')
}

/**
 * Returns the confirmation after the planned start changes. If the vendor was asked about the previous date or
 * responded to it, the vendor is asked again, unless the vendor proposed the new date. If the vendor declined the task,
 * the confirmation stays declined until a user asks again or assigns another vendor.
 */
export function updateConfirmation(
  was: Task,
  { plannedStart, vendorId, ...task }: Task,
  now: string,
): TaskConfirmation {
  const { confirmation } = task
  const { status, proposedStart } = confirmation
  if (was.plannedStart === plannedStart || was.vendorId !== vendorId || !isUpcoming(task)) return confirmation
  if (status === 'none' || status === 'declined') return confirmation
  if (proposedStart === plannedStart) return { ...confirmation, status: 'confirmed', proposedStart: null }
  return createRequestedConfirmation(now)
}

/**
 * Returns the reason why the vendor cannot be notified of the task's start or asked to confirm it; null if there is
 * none.
 */
export function explainNotificationConflict(
  vendor: { id: string; companyName: string },
  task: Task,
  today: string,
): string | null {
  if (task.vendorId !== vendor.id)
    return `Cannot notify ${vendor.companyName}: ${task.name} is not assigned to this vendor.`
  return explainWhyStartIsFixed(task, today)
}

/**
 * Returns the reason why the start of the task can no longer change; null if it can change. `today` is the current date
 * in the community's time zone.
 */
export function explainWhyStartIsFixed(task: Task, today: string): string | null {
  if (task.archivedAt !== null) return `The start date of ${task.name} can no longer change: the task is archived.`
  if (!isUpcoming(task))
    return `The start date of ${task.name} can no longer change: the task is ${describeStatus(task.status)}.`
  if (task.plannedStart < today)
    return `The planned start of ${task.name} (${formatDate(task.plannedStart)}) has passed. Move the task first.`
  return null
}

/** Returns the reason why the vendor cannot be asked to confirm the start; null if there is none. */
export function explainConfirmationConflict({
  name,
  plannedStart,
  confirmation: { status, proposedStart },
}: Task): string | null {
  if (status === 'confirmed') return `The vendor has already confirmed ${formatDate(plannedStart)} for ${name}.`
  if (status === 'reschedule_requested')
    return `The vendor has proposed ${proposedStart === null ? 'another date' : formatDate(proposedStart)} for ${name}. Accept or decline the proposal first.`
  return null
}

/** Returns the confirmation after the vendor's response. The task must not have started. */
export function applyConfirmationResponse(
  task: Task,
  { answer, note = null, ...body }: TaskConfirmationAnswer,
  today: string,
  now: string,
): TaskConfirmation {
  const proposedStart = body.proposedStart ?? null
  const fault = (code: string, message: string) => validationFailed([{ pointer: '/proposedStart', code, message }])
  if (answer !== 'reschedule_requested') {
    if (proposedStart !== null) throw fault('exclusive', 'can only be set when answer is reschedule_requested')
  } else if (proposedStart === null) throw fault('required', 'is required when answer is reschedule_requested')
  else if (proposedStart < today) throw fault('minimum', `must not be before today (${today})`)
  else if (proposedStart === task.plannedStart)
    throw fault('same', 'must differ from the planned start; to accept that date, set answer to confirmed')
  return { status: answer, proposedStart, note, requestedAt: task.confirmation.requestedAt, respondedAt: now }
}

/** Returns whether two responses are equal. */
export function isSameResponse(one: TaskConfirmation, other: TaskConfirmation): boolean {
  return one.status === other.status && one.proposedStart === other.proposedStart && one.note === other.note
}
