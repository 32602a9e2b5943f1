import type { Task, TaskConfirmation, TaskConfirmationAnswer } from '../../../../client/contract.gen.ts'
import { invalid } from '../../../platform/problems/problem.ts'
import { describeStatus, formatDate } from '../../../platform/values/format.ts'

/** Nobody has asked the vendor yet. */
export const NOT_ASKED: TaskConfirmation = {
  ...{ status: 'none', proposedStart: null, note: null },
  ...{ requestedAt: null, respondedAt: null },
}

/** The vendor was asked now, and whatever it answered before is of no account. */
export function askedAt(now: string): TaskConfirmation {
  return { ...NOT_ASKED, status: 'requested', requestedAt: now }
}

/** Whether the task is still to come, so that its vendor hears of its start. */
export function isAhead({ actualStart, status }: Pick<Task, 'actualStart' | 'status'>): boolean {
  return actualStart === null && (status === 'not_started' || status === 'on_hold')
}

/**
 * What becomes of the vendor's answer when the planned start is another one: it was asked or has answered about the one
 * before, so it is asked anew, except where it is the date that it proposed. A refusal stands until somebody asks again
 * or another vendor does the work.
 */
export function confirmationAfter(was: Task, { plannedStart, vendorId, ...task }: Task, now: string): TaskConfirmation {
  const { confirmation } = task
  const { status, proposedStart } = confirmation
  if (was.plannedStart === plannedStart || was.vendorId !== vendorId || !isAhead(task)) return confirmation
  if (status === 'none' || status === 'declined') return confirmation
  if (proposedStart === plannedStart) return { ...confirmation, status: 'confirmed', proposedStart: null }
  return askedAt(now)
}

/** Why the vendor is not told of the start of the task, nor asked about it; null if it can be. */
export function reasonNotToTell(vendor: { id: string; companyName: string }, task: Task, today: string): string | null {
  if (task.vendorId !== vendor.id) return `${task.name} is not assigned to ${vendor.companyName}.`
  return reasonNotAhead(task, today)
}

/** Why the start of the task is no longer open; null if it is. `today` is the date in the community. */
export function reasonNotAhead(task: Task, today: string): string | null {
  if (task.archivedAt !== null) return `The start date of ${task.name} is final: the task is archived.`
  if (!isAhead(task)) return `The start date of ${task.name} is final: the task is ${describeStatus(task.status)}.`
  if (task.plannedStart < today)
    return `The planned start of ${task.name} (${formatDate(task.plannedStart)}) has passed. Move the task first.`
  return null
}

/** Why the vendor is not asked about the start; null if it can be. */
export function reasonNotToAsk({ name, plannedStart, confirmation: { status, proposedStart } }: Task): string | null {
  if (status === 'confirmed') return `The vendor has already confirmed ${formatDate(plannedStart)} for ${name}.`
  if (status === 'reschedule_requested')
    return `The vendor has proposed ${proposedStart === null ? 'another date' : formatDate(proposedStart)} for ${name}. Accept or decline the proposal first.`
  return null
}

/** What the vendor answered, for which the task has to be ahead. */
export function answered(
  task: Task,
  { answer, note = null, ...body }: TaskConfirmationAnswer,
  today: string,
  now: string,
): TaskConfirmation {
  const proposedStart = body.proposedStart ?? null
  const fault = (code: string, message: string) => invalid([{ pointer: '/proposedStart', code, message }])
  if (answer !== 'reschedule_requested') {
    if (proposedStart !== null) throw fault('exclusive', 'can only be set when answer is reschedule_requested')
  } else if (proposedStart === null) throw fault('required', 'is required when answer is reschedule_requested')
  else if (proposedStart < today) throw fault('minimum', `must not be before today (${today})`)
  else if (proposedStart === task.plannedStart)
    throw fault('same', 'must differ from the planned start; to accept that date, set answer to confirmed')
  return { status: answer, proposedStart, note, requestedAt: task.confirmation.requestedAt, respondedAt: now }
}

/** Whether the answer is the one that stands. */
export function isSameAnswer(one: TaskConfirmation, other: TaskConfirmation): boolean {
  return one.status === other.status && one.proposedStart === other.proposedStart && one.note === other.note
}
