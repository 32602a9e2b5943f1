import type { TaskTemplateRow } from '../../../../client/contract.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'
import { scheduleFromStart } from './schedule-from-start.ts'
import { findLastDay, isEndOfDayMilestone, type ScheduleError } from './schedule-tasks.ts'

/** The fields of a template's row that scheduling reads. */
export type SchedulableRow = Pick<TaskTemplateRow, 'name' | 'durationDays' | 'predecessors'>

/** The place of a row in the schedule of a template, in workdays from the start of the schedule. */
export interface ScheduledRow {
  /** The number of workdays before the row starts. */
  start: number
  /** The number of workdays after which the row ends. For a milestone, this is the start. */
  end: number
  isCritical: boolean
  /** The number of workdays by which the row can move without moving the end of the schedule. */
  float: number
}

// The calendar for computing the duration of a template in workdays. Lags in calendar days make the duration depend on
// the calendar, so it is computed for a schedule that starts on a Monday and has no holidays.
const USUAL_WEEK = createWorkCalendar({ workdays: [1, 2, 3, 4, 5], holidays: [] })
const MONDAY = '2025-01-06'

/**
 * Schedules the rows of a template as early as possible. The names of the rows must be unique. In an error, the IDs are
 * the names of rows.
 */
export function scheduleTemplate(
  rows: readonly SchedulableRow[],
): { rows: ScheduledRow[]; workdays: number } | ScheduleError {
  const outcome = scheduleFromStart(MONDAY, rows.map(toDraftTask), USUAL_WEEK)
  if (!('tasks' in outcome)) return outcome
  const last = findLastDay(outcome.tasks) ?? MONDAY
  const dayAfter = (date: string) => USUAL_WEEK.between(MONDAY, addDays(date, 1))
  return {
    workdays: dayAfter(last),
    rows: outcome.tasks.map((task) => {
      const start = USUAL_WEEK.between(MONDAY, task.earlyStart)
      const isPoint = task.durationDays === 0
      const point = isEndOfDayMilestone(task) ? dayAfter(task.earlyStart) : start
      return {
        start: isPoint ? point : start,
        end: isPoint ? point : dayAfter(task.earlyFinish),
        ...{ isCritical: task.isCritical, float: task.totalFloatDays ?? 0 },
      }
    }),
  }
}

/** Returns a row as a task for scheduling, with the name of the row as the ID of the task. */
function toDraftTask({ name, durationDays, predecessors }: SchedulableRow) {
  return {
    ...{
      id: name,
      status: 'not_started' as const,
      durationDays,
      constraint: { type: 'none' as const, date: null },
      workdayOverride: false,
      startDelayDays: 0,
    },
    ...{ plannedStart: MONDAY, plannedEnd: MONDAY, actualStart: null, actualEnd: null },
    predecessors: predecessors.map(({ name, ...link }) => ({ taskId: name, ...link })),
  }
}
