import type { CompressScheduleResult, Task } from '../../../../client/contract.gen.ts'
import { findLastDay, type PlacedTask, scheduleTasks } from '../../../domain/building/schedule/schedule-tasks.ts'
import { readSchedule } from '../../../domain/building/tasks/cascade.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import type { WorkCalendar } from '../../../platform/values/workdays.ts'
import { findHomeOverview } from '../frame/home-overview.ts'
import { createReportFooter, selectSentences } from '../frame/report.ts'
import type { WorkLimit } from '../frame/work-limit.ts'

/**
 * The maximum number of steps. Each step reschedules all tasks of the home, and nobody shortens a schedule by a hundred
 * workdays.
 */
const MAX_STEPS = 100

/**
 * Shortens a schedule by crashing, a method of critical path scheduling. Only critical tasks determine the end of the
 * schedule. Each step therefore shortens the longest critical task that has not reached its limit by one workday. The
 * steps stop when the end is early enough or no task can be shortened further.
 */
export async function compressSchedule(
  { homeId, targetDate, maxPercent }: Checked['CompressScheduleInput'],
  call: Call,
  workLimit: WorkLimit,
): Promise<CompressScheduleResult> {
  const [{ home }, { tasks, calendar, dataDate }] = await Promise.all([
    findHomeOverview(call, homeId),
    readSchedule(call, { homeId }),
  ])
  const shortest = new Map(
    tasks.map(({ id, durationDays }) => [id, Math.max(Math.ceil((durationDays * (100 - maxPercent)) / 100), 1)]),
  )
  const plannedEnd = findLastDay(tasks)
  let compressed: readonly Task[] = tasks
  let placed = placeTasks(compressed, calendar, dataDate)
  let end = lastDay(placed)
  for (let step = 0; step < MAX_STEPS && end !== null && end > targetDate; step++) {
    workLimit.spend(tasks.length)
    const next = shortenByOneDay(compressed, placed, shortest)
    if (next === null) break
    compressed = next
    placed = placeTasks(compressed, calendar, dataDate)
    end = lastDay(placed)
  }
  const durations = new Map(tasks.map(({ id, durationDays }) => [id, durationDays]))
  const shortened = compressed.filter(({ id, durationDays }) => durationDays < (durations.get(id) ?? 0))
  shortened.sort((a, b) =>
    a.plannedStart < b.plannedStart ? -1 : a.plannedStart > b.plannedStart ? 1 : a.sequence - b.sequence,
  )
  const isEnough = end !== null && end <= targetDate
  return {
    ...{ homeId, home, targetDate, plannedEnd, compressedEnd: end, isEnough },
    tasks: shortened.map(({ id, name, durationDays }) => {
      return { taskId: id, name, durationDays: durations.get(id) ?? durationDays, shortenedTo: durationDays }
    }),
    ...createReportFooter(call, {
      unknown: selectSentences(
        tasks.length === 0 && 'The home has no schedule.',
        !isEnough &&
          tasks.length > 0 &&
          'Saving more days would require overlapping tasks or extra workdays, which this skill does not consider.',
        'The cost of shortening a task is not known.',
      ),
    }),
  }
}

function placeTasks(tasks: readonly Task[], calendar: WorkCalendar, dataDate: string | null): readonly PlacedTask[] {
  const outcome = scheduleTasks(tasks, calendar, dataDate)
  return 'placed' in outcome ? outcome.placed : []
}

function lastDay(placed: readonly PlacedTask[]): string | null {
  return findLastDay(placed.map(({ dates }) => dates))
}

/**
 * Returns the tasks after shortening a critical task by one workday; null if no critical task can be shortened further.
 */
function shortenByOneDay(
  tasks: readonly Task[],
  placed: readonly PlacedTask[],
  shortest: ReadonlyMap<string, number>,
): Task[] | null {
  const candidates = tasks.filter(({ id, status, taskKind, durationDays }, i) => {
    const isOpen = (status === 'not_started' || status === 'in_progress') && taskKind === 'work'
    return isOpen && placed[i]?.dates.isCritical === true && durationDays > (shortest.get(id) ?? durationDays)
  })
  const [longest] = candidates.toSorted((a, b) => b.durationDays - a.durationDays || (a.id < b.id ? -1 : 1))
  if (longest === undefined) return null
  return tasks.map((task) => (task.id === longest.id ? { ...task, durationDays: task.durationDays - 1 } : task))
}
