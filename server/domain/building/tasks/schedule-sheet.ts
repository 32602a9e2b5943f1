import type {
  BaselineChange,
  HomeSchedule,
  ScheduleBaseline,
  ScheduledTask,
  Task,
} from '../../../../client/contract.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { computePercentDone, findLastDay } from '../schedule/schedule-tasks.ts'
import type { Schedule } from './cascade.ts'

/** Returns the schedule of a home with its totals. */
export function toScheduleSheet({ home, tasks, calendar }: Schedule): HomeSchedule {
  const ordered = tasks.toSorted(
    (a, b) => compareText(a.earlyStart, b.earlyStart) || a.sequence - b.sequence || compareText(a.id, b.id),
  )
  const startDate = ordered[0]?.earlyStart ?? null
  const endDate = findLastDay(tasks)
  const baselineEnd = findLastBaseline(tasks)
  return {
    homeId: home.id,
    dataDate: home.dataDate,
    startDate,
    endDate,
    workdays: startDate === null || endDate === null ? 0 : calendar.between(startDate, addDays(endDate, 1)),
    percentComplete: computePercentDone(tasks),
    baselineEnd,
    daysBehindBaseline: baselineEnd === null || endDate === null ? null : calendar.between(baselineEnd, endDate),
    criticalPath: ordered.filter(({ isCritical }) => isCritical).map(({ id }) => id),
    tasks: ordered.map(toScheduledTask),
  }
}

function toScheduledTask(task: Task): ScheduledTask {
  const { id: taskId, name, scope, phase, taskKind, vendorId, status, durationDays, predecessors } = task
  const { plannedStart, plannedEnd, actualStart, actualEnd, percentComplete, remainingDays } = task
  const { earlyStart, earlyFinish, lateStart, lateFinish, totalFloatDays, isCritical } = task
  return {
    ...{ taskId, name, scope, phase, taskKind, vendorId, status, durationDays },
    ...{ plannedStart, plannedEnd, actualStart, actualEnd, percentComplete, remainingDays, predecessors },
    ...{ earlyStart, earlyFinish, lateStart, lateFinish, totalFloatDays, isCritical },
  }
}

/** Returns the baseline that the current schedule would set. */
export function planBaseline({ home, tasks }: Schedule): ScheduleBaseline {
  const changed = tasks.flatMap((task): BaselineChange[] => {
    const { id: taskId, name, status, baselineStart, baselineEnd, plannedStart, plannedEnd } = task
    const keeps = status === 'skipped' || (status === 'completed' && baselineStart !== null)
    if (keeps || (baselineStart === plannedStart && baselineEnd === plannedEnd)) return []
    return [{ taskId, name, oldStart: baselineStart, oldEnd: baselineEnd, newStart: plannedStart, newEnd: plannedEnd }]
  })
  const ends = new Map(changed.map(({ taskId, newEnd }) => [taskId, newEnd]))
  const now = tasks.map((task) => ({ baselineEnd: ends.get(task.id) ?? task.baselineEnd }))
  return { homeId: home.id, oldEnd: findLastBaseline(tasks), newEnd: findLastBaseline(now), changed }
}

function findLastBaseline(tasks: readonly Pick<Task, 'baselineEnd'>[]): string | null {
  return findLastDay(tasks.flatMap(({ baselineEnd }) => (baselineEnd === null ? [] : [{ earlyFinish: baselineEnd }])))
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
