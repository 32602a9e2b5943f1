import type { Milestone, Task } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { type MadeEvent, makeEvent } from '../../../platform/events/record.ts'
import { recordStatusChanges } from '../../../platform/events/status-history.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { followed } from './milestone.ts'
import * as milestones from './queries.ts'

/**
 * Completes the milestones whose last open task was the given one, and reopens those that tasks had completed when a
 * task is reopened. The schedule is locked, and the task already written.
 *
 * @param tasks all tasks of the home as they are now
 * @returns the events, for the caller to record after those of the task
 */
export async function followTask(call: WriteCall, task: Task, tasks: readonly Task[]): Promise<MadeEvent[]> {
  const changed = (await milestones.leadingFrom(call, task.homeId, task.id)).flatMap((before) => {
    const after = followed(before, tasks)
    return after === null ? [] : [{ before, after: asWritten(call, after) }]
  })
  if (changed.length === 0) return []
  await milestones.updateAll(call, changed)
  await recordStatusChanges(
    call,
    changed.map(({ before, after }) => {
      const reason = `${task.name} is ${describeStatus(task.status)}.`
      return { id: after.id, from: before.status, to: after.status, reason }
    }),
  )
  return changed
    .filter(({ after }) => after.status === 'completed')
    .map(({ before, after }) => makeEvent(call, 'milestone.completed', after, before))
}

function asWritten({ now }: WriteCall, milestone: Milestone): Milestone {
  return { ...milestone, version: milestone.version + 1, updatedAt: now.toISOString() }
}
