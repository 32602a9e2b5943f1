import type { Milestone, Task } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { buildEvent, type NewEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChanges } from '../../../platform/events/status-history.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { updateMilestoneFromTasks } from './milestone.ts'
import * as milestones from './queries.ts'

/**
 * Completes the milestones whose last open task was the given task. If the task was reopened, reopens the milestones
 * that were completed through their tasks. The schedule must be locked, and the task must already be stored.
 *
 * @param tasks all tasks of the home in their current state
 * @returns the events, which the caller must record after those of the task
 */
export async function syncMilestonesWithTask(call: WriteCall, task: Task, tasks: readonly Task[]): Promise<NewEvent[]> {
  const changed = (await milestones.listMilestonesOfTask(call, task.homeId, task.id)).flatMap((before) => {
    const after = updateMilestoneFromTasks(before, tasks)
    return after === null ? [] : [{ before, after: toWrittenMilestone(call, after) }]
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
    .map(({ before, after }) => buildEvent(call, 'milestone.completed', after, before))
}

function toWrittenMilestone({ now }: WriteCall, milestone: Milestone): Milestone {
  return { ...milestone, version: milestone.version + 1, updatedAt: now.toISOString() }
}
