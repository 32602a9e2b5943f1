import type { Inspection, InspectionStatusChange, Task } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, problem } from '../../../platform/problems/problem.ts'
import { requirePermit } from '../inspections/inspection.ts'
import * as inspections from '../inspections/queries.ts'
import { formatTaskNames } from '../schedule/schedule-guards.ts'
import { changeTask } from '../tasks/change-task.ts'
import { planStatusMove, type TaskChanges } from '../tasks/task.ts'

/**
 * Undoes the result of a locked inspection. The home must be locked. Afterward, the inspection is scheduled again and
 * its task is in progress.
 */
export async function undoInspectionResult(
  call: WriteCall,
  before: Inspection,
  { date, window = before.window, permitId, reason = null }: InspectionStatusChange,
): Promise<Inspection> {
  const { id, taskId } = before
  if (taskId !== null && !call.permissions.has('tasks:write'))
    throw problem(
      'permission_denied',
      'Undoing the result of an inspection that belongs to a task requires tasks:write.',
      {
        permission: 'tasks:write',
      },
    )
  const next = await inspections.findNextAttempt(call, id)
  if (next?.status === 'completed')
    throw conflict('in_use', `Cannot undo the result of ${before.name}: attempt ${next.attempt} is completed.`)
  if (next !== undefined) {
    const open = await inspections.lock(call, next.id)
    await inspections.update(call, open, { status: 'cancelled' })
    await recordStatusChange(call, { id: next.id, from: open.status, to: 'cancelled', reason })
  }
  if (taskId !== null) {
    const previous = before.previousId === null ? null : await inspections.find(call, before.previousId)
    await changeTask(
      call,
      taskId,
      undefined,
      async (task, { tasks, today }) => {
        assertNothingStarted(before, task, tasks)
        const reopened =
          task.status === 'completed'
            ? planStatusMove(task, { status: 'in_progress', force: false, reason }, today)
            : {}
        return { ...reopened, ...planWithoutResult(before, previous, task) }
      },
      reason,
    )
  }
  const scheduledDate = date ?? before.scheduledDate ?? before.completedDate
  const after = await inspections.update(call, before, {
    ...{ status: 'scheduled', scheduledDate, window },
    permitId: await requirePermit(call, before, permitId ?? before.permitId, scheduledDate),
    ...{ result: null, completedDate: null, releasedScopes: [], delayDays: null },
  })
  await recordStatusChange(call, { id, from: before.status, to: after.status, reason })
  await recordEvent(call, 'inspection.scheduled', after, before)
  return after
}

function assertNothingStarted({ name }: Inspection, task: Task, tasks: readonly Task[]): void {
  const started = tasks.filter(
    ({ actualStart, predecessors }) => actualStart !== null && predecessors.some(({ taskId }) => taskId === task.id),
  )
  if (started.length > 0)
    throw conflict(
      'in_use',
      `Cannot undo the result of ${name}: ${formatTaskNames(started)} ${started.length === 1 ? 'has' : 'have'} started.`,
    )
}

/**
 * Returns the values that the fields of the task had before the result: the result of the previous attempt, and no
 * delay.
 */
function planWithoutResult(
  { delayDays }: Inspection,
  previous: Inspection | null,
  { delays, durationDays }: Task,
): TaskChanges {
  const isHeld = previous !== null && previous.result !== null && previous.result !== 'passed'
  const result: TaskChanges = {
    inspectionResult: isHeld ? 'failed' : null,
    releasedScopes: isHeld ? previous.releasedScopes : [],
  }
  const last = delays.findLastIndex((each) => each.reasonCode === 'failed_inspection' && each.days === delayDays)
  if (delayDays === null || last < 0) return result
  return { ...result, delays: delays.toSpliced(last, 1), durationDays: Math.max(1, durationDays - delayDays) }
}
