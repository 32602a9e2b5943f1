import type { WorkCalendar } from '../../../platform/values/workdays.ts'
import { type Dates, fallsAtDayEnd, type Refused, type Scheduled, scheduleOf } from './schedule.ts'

/**
 * Schedules new tasks from a start date on. Tasks without predecessors begin on it, and no link moves a task before it,
 * such as a finish-to-finish link to a short task.
 */
export function scheduledFrom<Each extends Scheduled>(
  startDate: string,
  tasks: readonly Each[],
  calendar: WorkCalendar,
): { tasks: (Each & Dates)[] } | Refused {
  const begin = (task: Each): Each => ({
    ...task,
    plannedStart: startDate,
    constraint: { type: 'start_no_earlier_than', date: startDate },
  })
  const begun = tasks.map((task) => (task.predecessors.length === 0 ? begin(task) : task))
  const first = placed(begun, calendar)
  if (!('tasks' in first)) return first
  const day = calendar.onOrAfter(startDate)
  const dayBefore = calendar.add(day, -1)
  // The end of the previous day is the same point as the start of the first day.
  const isEarly = (task: Each) => task.plannedStart < (fallsAtDayEnd(task) ? dayBefore : day)
  if (!first.tasks.some(isEarly)) return first
  return placed(
    begun.map((task, i) => (isEarly(first.tasks[i] ?? task) ? begin(task) : task)),
    calendar,
  )
}

function placed<Each extends Scheduled>(
  tasks: readonly Each[],
  calendar: WorkCalendar,
): { tasks: (Each & Dates)[] } | Refused {
  const outcome = scheduleOf(tasks, calendar)
  if (!('placed' in outcome)) return outcome
  const { placed } = outcome
  return { tasks: tasks.flatMap((task, i) => (placed[i] === undefined ? [] : [{ ...task, ...placed[i].dates }])) }
}
