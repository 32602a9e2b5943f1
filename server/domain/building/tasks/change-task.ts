import type { Task, TaskChanged } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import { buildEvent, type NewEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, notFound } from '../../../platform/problems/problem.ts'
import { syncMilestonesWithTask } from '../milestones/sync-milestones-with-task.ts'
import { lockSchedule, planReschedule, type Schedule, storeCascade } from './cascade.ts'
import * as tasks from './queries.ts'
import { type TaskChanges, toTaskFields } from './task.ts'

/** Returns the task from the schedule of its home. Throws if the task is archived. */
export async function requireTask(call: Call, { tasks: all }: Schedule, id: string, ifMatch?: string): Promise<Task> {
  const task = all.find((each) => each.id === id)
  if (task === undefined) {
    const archived = await tasks.findOptional(call, id)
    if (archived === undefined) throw notFound()
    throw conflict('archived', `Cannot use ${archived.name}: the task is archived and no longer part of the schedule.`)
  }
  assertIfMatch(ifMatch, task)
  return task
}

function hasEnded({ status }: Task): boolean {
  return status === 'completed' || status === 'skipped'
}

/** Returns the tasks of the schedule after applying the changes to one task. */
export function applyTaskChanges({ tasks: all }: Schedule, task: Task, changes: TaskChanges): Task[] {
  return all.map((each) => (each.id === task.id ? { ...each, ...changes } : each))
}

/** Changes a task and reschedules its home in the transaction of the call. */
export async function changeTask(
  call: WriteCall,
  taskId: string,
  ifMatch: string | undefined,
  decide: (before: Task, schedule: Schedule) => Promise<TaskChanges>,
  reason?: string | null,
): Promise<TaskChanged> {
  const schedule = await lockSchedule(call, { taskId })
  const before = await requireTask(call, schedule, taskId, ifMatch)
  const changes = await decide(before, schedule)
  const after = planReschedule(schedule, applyTaskChanges(schedule, before, changes), taskId)
  const placed = after.tasks.find(({ id }) => id === taskId) ?? before
  const task = await tasks.update(call, before, toTaskFields(placed))
  const events: NewEvent[] = []
  if (task.status !== before.status) {
    await recordStatusChange(call, { id: taskId, from: before.status, to: task.status, reason })
    events.push(buildEvent(call, 'task.status_changed', task, before))
    if (task.status === 'completed') events.push(buildEvent(call, 'task.completed', task, before))
    if (hasEnded(task) !== hasEnded(before)) events.push(...(await syncMilestonesWithTask(call, task, after.tasks)))
  }
  await storeCascade(call, schedule, after, taskId, events)
  return { ...task, cascade: after.cascade }
}
