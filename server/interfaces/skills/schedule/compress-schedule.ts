import type { CompressScheduleResult, Task } from '../../../../client/contract.gen.ts'
import { lastDayOf, type Placed, scheduleOf } from '../../../domain/building/schedule/schedule.ts'
import { readSchedule } from '../../../domain/building/tasks/cascade.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import type { WorkCalendar } from '../../../platform/values/workdays.ts'
import type { Effort } from '../frame/effort.ts'
import { homeNamed } from '../frame/home.ts'
import { reported, sentences } from '../frame/report.ts'

/** Each step reschedules all tasks. Nobody shortens a house by a hundred workdays. */
const MOST_STEPS = 100

/**
 * Shortens a schedule by crashing, as the critical path method calls it. Only critical tasks delay the end, so a
 * workday is taken off the longest critical task that has not reached its limit, until the end is early enough or no
 * task can be shortened.
 */
export async function compressSchedule(
  { homeId, targetDate, mostPercent }: Checked['CompressScheduleInput'],
  call: Call,
  effort: Effort,
): Promise<CompressScheduleResult> {
  const [{ home }, { tasks, calendar }] = await Promise.all([homeNamed(call, homeId), readSchedule(call, { homeId })])
  const shortest = new Map(
    tasks.map(({ id, durationDays }) => [id, Math.max(Math.ceil((durationDays * (100 - mostPercent)) / 100), 1)]),
  )
  const plannedEnd = lastDayOf(tasks)
  let compressed: readonly Task[] = tasks
  let placed = placedBy(compressed, calendar)
  let end = endOf(placed)
  for (let step = 0; step < MOST_STEPS && end !== null && end > targetDate; step++) {
    effort.spend(tasks.length)
    const next = shortenedByOne(compressed, placed, shortest)
    if (next === null) break
    compressed = next
    placed = placedBy(compressed, calendar)
    end = endOf(placed)
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
    ...reported(call, {
      unknown: sentences(
        tasks.length === 0 && 'The home has no schedule.',
        !isEnough &&
          tasks.length > 0 &&
          'Saving more days would require overlapping tasks or extra workdays, which this skill does not consider.',
        'The cost of shortening a task is not known.',
      ),
    }),
  }
}

function placedBy(tasks: readonly Task[], calendar: WorkCalendar): readonly Placed[] {
  const outcome = scheduleOf(tasks, calendar)
  return 'placed' in outcome ? outcome.placed : []
}

function endOf(placed: readonly Placed[]): string | null {
  return lastDayOf(placed.map(({ dates }) => dates))
}

/** Returns the tasks with one workday taken off; null if no critical task can be shortened further. */
function shortenedByOne(
  tasks: readonly Task[],
  placed: readonly Placed[],
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
