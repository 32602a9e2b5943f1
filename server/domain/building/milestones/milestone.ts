import type { FieldError, Milestone, Task } from '../../../../client/contract.gen.ts'
import { invalid, unknownReference } from '../../../platform/problems/problem.ts'

/** The most milestones that a home has. A lender pays in some ten draws, and every completed task looks through them. */
export const MOST_MILESTONES = 100

/** What a milestone knows of a task that leads to it. */
export type LeadingTask = Pick<Task, 'id' | 'name' | 'status' | 'actualEnd'>

type Drawn = Pick<Milestone, 'drawPercent' | 'drawAmount' | 'autoComplete' | 'taskIds'>

/** Refuses what no milestone can be. `elsewhere` is what the shares of the home's other draws come to. */
export function assertSound({ drawPercent, drawAmount, autoComplete, taskIds }: Drawn, elsewhere: number): void {
  const faults: FieldError[] = []
  if (drawPercent !== null && drawAmount !== null)
    faults.push({ pointer: '/drawAmount', code: 'exclusive', message: 'cannot be combined with drawPercent' })
  // Both have two decimals at most, so they are compared in hundredths.
  const left = Math.round((100 - elsewhere) * 100) / 100
  if (drawPercent !== null && drawPercent > left)
    faults.push({
      pointer: '/drawPercent',
      code: 'maximum',
      message: `must not exceed ${left}, the percentage that other draws of the home leave`,
    })
  if (autoComplete && taskIds.length === 0)
    faults.push({ pointer: '/taskIds', code: 'required', message: 'is required when autoComplete is true' })
  if (faults.length > 0) throw invalid(faults)
}

/** Refuses ids of other tasks than these, which are in the schedule of the home. */
export function assertOfHome(taskIds: readonly string[], tasks: readonly LeadingTask[]): void {
  const known = new Set(tasks.map(({ id }) => id))
  const unknown = taskIds.flatMap((id, i) => (known.has(id) ? [] : [`/taskIds/${i}`]))
  if (unknown.length > 0) throw unknownReference(unknown)
}

/** The tasks that the milestone still waits for. A skipped one is no work, and an archived one was a mistake. */
export function openTasks({ taskIds }: Pick<Milestone, 'taskIds'>, tasks: readonly LeadingTask[]): LeadingTask[] {
  const led = new Set(taskIds)
  return tasks.filter(({ id, status }) => led.has(id) && status !== 'completed' && status !== 'skipped')
}

/** The last day on which one of the milestone's tasks ended; null if none was completed. */
export function lastEnd({ taskIds }: Pick<Milestone, 'taskIds'>, tasks: readonly LeadingTask[]): string | null {
  const led = new Set(taskIds)
  const ends = tasks.flatMap(({ id, status, actualEnd }) =>
    led.has(id) && status === 'completed' && actualEnd !== null ? [actualEnd] : [],
  )
  return ends.sort().at(-1) ?? null
}

/** What a milestone becomes by what its tasks are now; null if it stays. */
export function followed(milestone: Milestone, tasks: readonly LeadingTask[]): Milestone | null {
  const isDone = openTasks(milestone, tasks).length === 0
  if (milestone.status === 'completed') {
    if (!milestone.completedByTasks || isDone) return null
    return { ...milestone, status: 'pending', completedDate: null, completedByTasks: false }
  }
  const completedDate = isDone && milestone.autoComplete ? lastEnd(milestone, tasks) : null
  return completedDate === null ? null : { ...milestone, status: 'completed', completedDate, completedByTasks: true }
}
