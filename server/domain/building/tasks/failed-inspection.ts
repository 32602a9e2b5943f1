import type { Task, TaskDelayCreate } from '../../../../client/contract.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { planReschedule, type Schedule } from './cascade.ts'
import { addDelay, planDelay } from './delay.ts'
import type { TaskChanges } from './task.ts'

export interface FailedInspection {
  /** The date of the inspection. */
  date: string
  /** The date of the next attempt; null if it is not known. */
  reinspectionDate: string | null
  /** The trades whose tasks may start despite the failed inspection. */
  releasedScopes: string[]
  /** The vendor that must correct its work, if there is exactly one such vendor. */
  vendorId: string | null
}

export interface FailedInspectionPlan {
  changes: TaskChanges
  /** The delay in workdays; null if the next attempt does not delay the task. */
  delayDays: number | null
}

/**
 * Returns the changes of an inspection task after the inspection did not pass. The task stays in progress until the
 * next attempt, or at least until the next workday. It does not end earlier than planned, so that no successor moves
 * earlier.
 *
 * @param started the changes that the report itself makes, such as the start
 */
export function planFailedInspection(
  schedule: Schedule,
  before: Task,
  started: TaskChanges,
  { date, reinspectionDate, releasedScopes, vendorId }: FailedInspection,
): FailedInspectionPlan {
  const { calendar } = schedule
  const failed: Task = { ...before, ...started, status: 'in_progress', inspectionResult: 'failed', releasedScopes }
  const next = reinspectionDate ?? calendar.onOrAfter(addDays(date, 1))
  const until = before.status === 'in_progress' || next > before.earlyFinish ? next : before.earlyFinish
  // Remaining days that were reported earlier no longer apply.
  let task: Task = { ...failed, remainingDays: null, remainingAsOf: null }
  // One iteration is enough, except for a task on a day off, which is not a workday.
  for (let last = findEnd(schedule, task); last < until; last = findEnd(schedule, task)) {
    const days = Math.max(1, calendar.between(last, until))
    // The delay starts from the planned end, so that an inspection that failed on an earlier date is also delayed.
    const planned = { ...task, earlyFinish: task.plannedEnd }
    const { changes } = planDelay(planned, { days }, { ...schedule, dataDate: null }, (field) => `/${field}`)
    task = { ...task, ...changes }
  }
  const delayDays = task.durationDays - failed.durationDays
  const delay: TaskDelayCreate = { reasonCode: 'failed_inspection', ...(vendorId !== null && { vendorId }) }
  const { actualStart, checklist, durationDays } = task
  return {
    changes: {
      ...{ status: 'in_progress', actualStart, checklist, durationDays, inspectionResult: 'failed', releasedScopes },
      ...{ remainingDays: null, remainingAsOf: null },
      ...(delayDays > 0 && { delays: addDelay(before, delay, delayDays, new Date(schedule.now)) }),
    },
    delayDays: delayDays > 0 ? delayDays : null,
  }
}

/** Returns the day on which the task ends after it is changed. */
function findEnd(schedule: Schedule, task: Task): string {
  const all = schedule.tasks.map((each) => (each.id === task.id ? task : each))
  return planReschedule(schedule, all, task.id).tasks.find(({ id }) => id === task.id)?.plannedEnd ?? task.plannedEnd
}
