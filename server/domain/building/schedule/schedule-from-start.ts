import type { WorkCalendar } from '../../../platform/values/workdays.ts'
import {
  isEndOfDayMilestone,
  type SchedulableTask,
  type ScheduleError,
  scheduleTasks,
  type TaskDates,
} from './schedule-tasks.ts'

/**
 * Schedules new tasks from a start date. Tasks without predecessors start on this date. No link starts a task earlier,
 * not even a finish-to-finish link to a short task.
 */
export function scheduleFromStart<Each extends SchedulableTask>(
  startDate: string,
  tasks: readonly Each[],
  calendar: WorkCalendar,
): { tasks: (Each & TaskDates)[] } | ScheduleError {
  const begin = (task: Each): Each => ({
    ...task,
    plannedStart: startDate,
    constraint: { type: 'start_no_earlier_than', date: startDate },
  })
  const started = tasks.map((task) => (task.predecessors.length === 0 ? begin(task) : task))
  const first = placeTasks(started, calendar)
  if (!('tasks' in first)) return first
  const day = calendar.onOrAfter(startDate)
  const dayBefore = calendar.add(day, -1)
  // For a milestone at the end of a day, the end of the previous day is the same point as the start of the first day.
  const isEarly = (task: Each) => task.plannedStart < (isEndOfDayMilestone(task) ? dayBefore : day)
  if (!first.tasks.some(isEarly)) return first
  return placeTasks(
    started.map((task, i) => (isEarly(first.tasks[i] ?? task) ? begin(task) : task)),
    calendar,
  )
}

function placeTasks<Each extends SchedulableTask>(
  tasks: readonly Each[],
  calendar: WorkCalendar,
): { tasks: (Each & TaskDates)[] } | ScheduleError {
  const outcome = scheduleTasks(tasks, calendar)
  if (!('placed' in outcome)) return outcome
  const { placed } = outcome
  return { tasks: tasks.flatMap((task, i) => (placed[i] === undefined ? [] : [{ ...task, ...placed[i].dates }])) }
}
