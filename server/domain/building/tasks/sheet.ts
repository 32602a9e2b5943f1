import type {
  BaselineChange,
  HomeSchedule,
  ScheduleBaseline,
  ScheduledTask,
  Task,
} from '../../../../client/contract.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { lastDayOf, percentDone } from '../schedule/schedule.ts'
import type { Schedule } from './cascade.ts'

/** Returns the schedule of a home with its summary. */
export function scheduleSheet({ home, tasks, calendar }: Schedule): HomeSchedule {
  const ordered = tasks.toSorted(
    (a, b) => compare(a.earlyStart, b.earlyStart) || a.sequence - b.sequence || compare(a.id, b.id),
  )
  const startDate = ordered[0]?.earlyStart ?? null
  const endDate = lastDayOf(tasks)
  const baselineEnd = lastBaselineOf(tasks)
  return {
    homeId: home.id,
    startDate,
    endDate,
    workdays: startDate === null || endDate === null ? 0 : calendar.between(startDate, addDays(endDate, 1)),
    percentComplete: percentDone(tasks),
    baselineEnd,
    daysBehindBaseline: baselineEnd === null || endDate === null ? null : calendar.between(baselineEnd, endDate),
    criticalPath: ordered.filter(({ isCritical }) => isCritical).map(({ id }) => id),
    tasks: ordered.map(scheduledTask),
  }
}

function scheduledTask(task: Task): ScheduledTask {
  const { id: taskId, name, scope, phase, taskKind, vendorId, status, durationDays, predecessors } = task
  const { plannedStart, plannedEnd, actualStart, actualEnd, percentComplete } = task
  const { earlyStart, earlyFinish, lateStart, lateFinish, totalFloatDays, isCritical } = task
  return {
    ...{ taskId, name, scope, phase, taskKind, vendorId, status, durationDays },
    ...{ plannedStart, plannedEnd, actualStart, actualEnd, percentComplete, predecessors },
    ...{ earlyStart, earlyFinish, lateStart, lateFinish, totalFloatDays, isCritical },
  }
}

/** Returns what the baseline would be if it were set now. */
export function baselineOf({ home, tasks }: Schedule): ScheduleBaseline {
  const changed = tasks.flatMap((task): BaselineChange[] => {
    const { id: taskId, name, status, baselineStart, baselineEnd, plannedStart, plannedEnd } = task
    const keeps = status === 'skipped' || (status === 'completed' && baselineStart !== null)
    if (keeps || (baselineStart === plannedStart && baselineEnd === plannedEnd)) return []
    return [{ taskId, name, oldStart: baselineStart, oldEnd: baselineEnd, newStart: plannedStart, newEnd: plannedEnd }]
  })
  const ends = new Map(changed.map(({ taskId, newEnd }) => [taskId, newEnd]))
  const now = tasks.map((task) => ({ baselineEnd: ends.get(task.id) ?? task.baselineEnd }))
  return { homeId: home.id, oldEnd: lastBaselineOf(tasks), newEnd: lastBaselineOf(now), changed }
}

function lastBaselineOf(tasks: readonly Pick<Task, 'baselineEnd'>[]): string | null {
  return lastDayOf(tasks.flatMap(({ baselineEnd }) => (baselineEnd === null ? [] : [{ earlyFinish: baselineEnd }])))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
