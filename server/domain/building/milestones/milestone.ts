import type { FieldError, Milestone, Task } from '../../../../client/contract.gen.ts'
import { unknownReference, validationFailed } from '../../../platform/problems/problem.ts'

/**
 * The maximum number of milestones of a home. A lender pays in about ten draws, and each completion of a task reads all
 * milestones of the home.
 */
export const MAX_MILESTONES = 100

/** The fields of a task that determine the status of a milestone. */
export type MilestoneTask = Pick<Task, 'id' | 'name' | 'status' | 'actualEnd'>

type DrawTerms = Pick<Milestone, 'drawPercent' | 'drawAmount' | 'autoComplete' | 'taskIds'>

/**
 * Throws `validation_failed` if the milestone is invalid. `elsewhere` is the total share of the home's other draws, in
 * percent.
 */
export function assertValidMilestone(
  { drawPercent, drawAmount, autoComplete, taskIds }: DrawTerms,
  elsewhere: number,
): void {
  const errors: FieldError[] = []
  if (drawPercent !== null && drawAmount !== null)
    errors.push({ pointer: '/drawAmount', code: 'exclusive', message: 'cannot be combined with drawPercent' })
  // Both percentages have at most two decimals, so they are compared in hundredths.
  const left = Math.round((100 - elsewhere) * 100) / 100
  if (drawPercent !== null && drawPercent > left)
    errors.push({
      pointer: '/drawPercent',
      code: 'maximum',
      message: `must not exceed ${left}, the percentage that other draws of the home do not use`,
    })
  if (autoComplete && taskIds.length === 0)
    errors.push({ pointer: '/taskIds', code: 'required', message: 'is required when autoComplete is true' })
  if (errors.length > 0) throw validationFailed(errors)
}

/** Throws unless all IDs belong to tasks in the home's schedule. */
export function assertTasksBelongToHome(taskIds: readonly string[], tasks: readonly MilestoneTask[]): void {
  const known = new Set(tasks.map(({ id }) => id))
  const unknown = taskIds.flatMap((id, i) => (known.has(id) ? [] : [`/taskIds/${i}`]))
  if (unknown.length > 0) throw unknownReference(unknown)
}

/**
 * Returns the tasks for which the milestone still waits. Ignores skipped tasks, because nobody works on them, and
 * archived tasks.
 */
export function listOpenTasks(
  { taskIds }: Pick<Milestone, 'taskIds'>,
  tasks: readonly MilestoneTask[],
): MilestoneTask[] {
  const led = new Set(taskIds)
  return tasks.filter(({ id, status }) => led.has(id) && status !== 'completed' && status !== 'skipped')
}

/** Returns the latest end date of the milestone's completed tasks; null if no task is completed. */
export function findLastTaskEnd(
  { taskIds }: Pick<Milestone, 'taskIds'>,
  tasks: readonly MilestoneTask[],
): string | null {
  const led = new Set(taskIds)
  const ends = tasks.flatMap(({ id, status, actualEnd }) =>
    led.has(id) && status === 'completed' && actualEnd !== null ? [actualEnd] : [],
  )
  return ends.sort().at(-1) ?? null
}

/** Returns the milestone, completed or reopened according to its tasks; null if nothing changes. */
export function updateMilestoneFromTasks(milestone: Milestone, tasks: readonly MilestoneTask[]): Milestone | null {
  const isDone = listOpenTasks(milestone, tasks).length === 0
  if (milestone.status === 'completed') {
    if (!milestone.completedByTasks || isDone) return null
    return { ...milestone, status: 'pending', completedDate: null, completedByTasks: false }
  }
  const completedDate = isDone && milestone.autoComplete ? findLastTaskEnd(milestone, tasks) : null
  return completedDate === null ? null : { ...milestone, status: 'completed', completedDate, completedByTasks: true }
}
