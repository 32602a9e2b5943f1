import type { Task, TaskChanged, TaskConfirmationAnswer, Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { conflict, notFound } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { ensurePortalLink } from '../../vendors/vendors/invite-to-portal.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { type Notice, sendNotification } from '../../vendors/vendors/send-notifications.ts'
import { explainWhyScheduleIsFixed } from '../schedule/schedule-guards.ts'
import { changeTask } from './change-task.ts'
import {
  applyConfirmationResponse,
  createRequestedConfirmation,
  explainConfirmationConflict,
  explainWhyStartIsFixed,
  isSameResponse,
} from './confirmation.ts'
import * as tasks from './queries.ts'
import { toStartConstraint } from './task.ts'

export const confirmationOperations = {
  async requestTaskConfirmation({ path }, call) {
    return { status: 200, body: await call.write((call) => requestConfirmation(call, path.taskId)) }
  },

  async answerTaskConfirmation({ path, body }, call) {
    const task = await call.write(async (call) => {
      const { task, today } = await lockUpcomingTask(call, path.taskId)
      return storeConfirmationResponse(call, task, body, today)
    })
    return { status: 200, body: task }
  },

  async decideTaskReschedule({ path, body }, call) {
    const changed = await call.write(async (call) => {
      if (body.accept) return moveToProposedStart(call, path.taskId)
      const ahead = await lockUpcomingTask(call, path.taskId)
      requireProposedStart(ahead.task)
      const requested = await repeatRequest(call, ahead, 'reminder', body.reason ?? null)
      const forecast = ahead.home.forecastCompletionDate
      return { ...requested, cascade: { moved: [], oldForecast: forecast, newForecast: forecast, notices: [] } }
    })
    return { status: 200, body: changed }
  },
} satisfies Partial<Handlers>

interface UpcomingTask {
  home: tasks.ScheduledHome
  task: Task
  /** The vendor of the task, whose row is locked. */
  vendor: Vendor
  /** The current date in the community's time zone. */
  today: string
}

/** Locks the schedule of a task that its vendor has not started. Throws `conflict` if the task has started. */
export async function lockUpcomingTask(call: WriteCall, taskId: string): Promise<UpcomingTask> {
  const home = await tasks.lockHome(call, { taskId })
  if (home === undefined) throw notFound()
  const task = await tasks.find(call, taskId)
  const today = toLocalDate(home.timeZone, call.now)
  const reason = explainWhyScheduleIsFixed(home) ?? explainWhyStartIsFixed(task, today)
  if (reason !== null) throw conflict('wrong_status', reason)
  if (task.vendorId === null)
    throw conflict('missing_data', `${task.name} has no vendor. Assign a vendor to the task first.`)
  const vendor = await vendors.lock(call, task.vendorId)
  if (vendor.archivedAt !== null)
    throw conflict('vendor_archived', `Cannot confirm ${task.name}: ${vendor.companyName} is archived.`)
  return { home, task, vendor, today }
}

/**
 * Stores the vendor's response. A vendor that responds knows the date, so the task is also marked as notified. The
 * vendor is notified again only if the date changes.
 */
export async function storeConfirmationResponse(
  call: WriteCall,
  task: Task,
  answer: TaskConfirmationAnswer,
  today: string,
): Promise<Task> {
  const now = call.now.toISOString()
  const confirmation = applyConfirmationResponse(task, answer, today, now)
  if (isSameResponse(confirmation, task.confirmation)) return task
  return tasks.update(call, task, { confirmation, notifiedStart: task.plannedStart, notifiedAt: now })
}

async function requestConfirmation(call: WriteCall, taskId: string): Promise<Task> {
  const ahead = await lockUpcomingTask(call, taskId)
  const reason = explainConfirmationConflict(ahead.task)
  if (reason !== null) throw conflict('wrong_status', reason)
  const requested = await repeatRequest(call, ahead, ahead.task.notifiedStart === null ? 'advance' : 'reminder', null)
  await ensurePortalLink(call, ahead.vendor)
  return requested
}

/** Asks the vendor again to confirm the planned start, regardless of any earlier response. */
async function repeatRequest(
  call: WriteCall,
  { home, task, vendor }: UpcomingTask,
  kind: 'advance' | 'reminder',
  message: string | null,
): Promise<Task> {
  const { plannedStart: date } = task
  const now = call.now.toISOString()
  const requested = { confirmation: createRequestedConfirmation(now), notifiedStart: date, notifiedAt: now }
  const after = await tasks.update(call, task, requested)
  const notice: Notice = { kind, homeId: home.id, bidRequestId: null, taskId: task.id, date, message }
  await sendNotification(call, vendor, notice)
  return after
}

/** Moves the task to the date that its vendor proposed, which confirms the task. */
async function moveToProposedStart(call: WriteCall, taskId: string): Promise<TaskChanged> {
  let date = ''
  const moved = await changeTask(call, taskId, undefined, async (before, { today }) => {
    const reason = explainWhyStartIsFixed(before, today)
    if (reason !== null) throw conflict('wrong_status', reason)
    date = requireProposedStart(before)
    if (date < today)
      throw conflict(
        'deadline_passed',
        `Cannot accept the date proposed for ${before.name}: ${formatDate(date)} has passed.`,
      )
    return { constraint: toStartConstraint(date, before) }
  })
  if (moved.plannedStart === date) return moved
  throw conflict(
    'not_available',
    `${moved.name} cannot start on ${formatDate(date)}. The earliest possible start is ${formatDate(moved.plannedStart)}.`,
  )
}

function requireProposedStart({ name, confirmation }: Task): string {
  if (confirmation.proposedStart === null)
    throw conflict(
      'missing_data',
      `Cannot accept or decline a proposal: the vendor has not proposed another date for ${name}.`,
    )
  return confirmation.proposedStart
}
