import type { Task } from '../../../../client/contract.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import type { WorkCalendar } from '../../../platform/values/workdays.ts'
import { computeCriticalPath, type Position } from './critical-path.ts'
import { type Activity, type Link, type LinkType, orderActivities } from './network.ts'

/** The fields of a task that scheduling uses. */
export type SchedulableTask = Pick<
  Task,
  'id' | 'status' | 'durationDays' | 'constraint' | 'workdayOverride' | 'startDelayDays' | 'predecessors'
> &
  Pick<Task, 'plannedStart' | 'plannedEnd' | 'actualStart' | 'actualEnd'>

/** The fields of a task that scheduling computes. */
export type TaskDates = Pick<Task, 'plannedStart' | 'plannedEnd' | 'earlyStart' | 'earlyFinish'> &
  Pick<Task, 'lateStart' | 'lateFinish' | 'totalFloatDays' | 'isCritical'>

export interface PlacedTask {
  dates: TaskDates
  /** ID of the predecessor that determines the start; null if the task itself does. */
  driverId: string | null
}

/**
 * The result of scheduling: the tasks in the given order, the IDs of a ring, or the task whose dates are out of range.
 */
export type ScheduleOutcome = { placed: PlacedTask[] } | ScheduleError
export type ScheduleError = { ring: string[] } | { beyondId: string }

/** Dates outside this range are treated as mistakes. */
export const FIRST_DAY = '1900-01-01'
export const LAST_DAY = '2999-12-31'

// Points are counted from a date in the middle of those that occur.
const ORIGIN = '2025-01-06'

/**
 * Schedules the tasks of one home by their durations, links, constraints, and what has happened so far. The result does
 * not depend on today: late work that was not reported as late moves nothing.
 *
 * A started task keeps its planned start, and a completed one both planned dates, so that the plan can be compared with
 * the actual dates, which are the early dates. If a started task would end before its planned start, its planned start
 * is the actual start. A skipped task takes no time, and its successors inherit its links.
 */
export function scheduleTasks(tasks: readonly SchedulableTask[], calendar: WorkCalendar): ScheduleOutcome {
  const days = createDayNumbers(calendar)
  const places = new Map(tasks.map(({ id }, place) => [id, place]))
  const linked = tasks.map(({ predecessors }) => ({ links: linksBetween(predecessors, places) }))
  const ordered = orderActivities(linked)
  if ('ring' in ordered) return { ring: ordered.ring.flatMap((place) => tasks[place]?.id ?? []) }
  const links = linksThroughSkipped(tasks)
  const scheduled = computeCriticalPath(
    tasks.map((task, place) => toActivity({ ...task, predecessors: links[place] ?? [] }, places, days)),
  )
  if ('ring' in scheduled) return { ring: scheduled.ring.flatMap((place) => tasks[place]?.id ?? []) }
  const { positions } = scheduled
  const beyond = findOutOfBounds(positions, days)
  if (beyond >= 0) return { beyondId: tasks[beyond]?.id ?? '' }
  return {
    placed: tasks.map((task, place) => {
      const position = positions[place] as Position
      return {
        dates: toTaskDates({ ...task, predecessors: links[place] ?? [] }, position, days),
        driverId: position.driver === null ? null : (tasks[position.driver.from]?.id ?? null),
      }
    }),
  }
}

/**
 * Returns the links of each task, in which the links of a skipped predecessor replace the link to it. Their lags are
 * added, and their outer ends remain. Of several links between the same ends, only the one with the longest lag is kept.
 * The tasks must not form a ring.
 */
function linksThroughSkipped(tasks: readonly SchedulableTask[]): Task['predecessors'][] {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const known = new Map<string, Task['predecessors']>()
  const linksOf = (task: SchedulableTask): Task['predecessors'] => {
    const before = known.get(task.id)
    if (before !== undefined) return before
    const longest = new Map<string, Task['predecessors'][number]>()
    const keep = (link: Task['predecessors'][number]) => {
      const key = `${link.taskId} ${link.type}`
      if (link.lagDays >= (longest.get(key)?.lagDays ?? Number.NEGATIVE_INFINITY)) longest.set(key, link)
    }
    for (const link of task.predecessors) {
      const through = byId.get(link.taskId)
      if (through?.status !== 'skipped') keep(link)
      else
        for (const { taskId, type, lagDays } of linksOf(through))
          keep({ taskId, type: joined(type, link.type), lagDays: lagDays + link.lagDays })
    }
    const links = [...longest.values()]
    known.set(task.id, links)
    return links
  }
  return tasks.map(linksOf)
}

/** Returns whether a task has a predecessor that is not skipped, directly or through skipped ones. */
export function hasPredecessors(task: SchedulableTask, tasks: readonly SchedulableTask[]): boolean {
  const byId = new Map(tasks.map((each) => [each.id, each]))
  const seen = new Set<string>()
  const isReached = ({ predecessors }: SchedulableTask): boolean =>
    predecessors.some(({ taskId }) => {
      const before = byId.get(taskId)
      if (before === undefined || seen.has(taskId)) return false
      seen.add(taskId)
      return before.status !== 'skipped' || isReached(before)
    })
  return isReached(task)
}

/** Returns the type of the link from the origin of the first to the target of the second. */
function joined(first: LinkType, second: LinkType): LinkType {
  return `${first.startsWith('F') ? 'F' : 'S'}${second.endsWith('F') ? 'F' : 'S'}`
}

interface DayNumbers {
  /** Returns the number of the workday on or after the date. */
  of(date: string): number
  /** Returns the point at the end of the date. */
  after(date: string): number
  date(number: number): string
  isWorkday(date: string): boolean
  first: number
  last: number
}

function createDayNumbers(calendar: WorkCalendar): DayNumbers {
  const origin = calendar.onOrAfter(ORIGIN)
  const of = (date: string) => calendar.between(origin, date)
  return {
    of,
    after: (date) => of(addDays(date, 1)),
    date: (number) => calendar.add(origin, number),
    isWorkday: calendar.isWorkday,
    first: of(FIRST_DAY),
    last: of(LAST_DAY),
  }
}

function toActivity(task: SchedulableTask, places: ReadonlyMap<string, number>, days: DayNumbers): Activity {
  const { status, constraint, actualStart, actualEnd } = task
  // A day off is not among the numbered workdays, so work on it takes no time between them.
  const duration = countWorkdays(task) - (getDayOff(task, days) === null ? 0 : 1)
  // A milestone that follows the end of a task falls at the end of the day, and any other at the beginning.
  const late = isAtEndOfDay(task) ? 1 : 0
  const links = linksBetween(task.predecessors, places).map(({ from, type, lag }): Link => {
    return { from, type, lag: lag + task.startDelayDays + (type === 'SS' || type === 'SF' ? late : 0) }
  })
  const activity = { duration, end: null, links }
  if (status === 'completed' && actualEnd !== null) {
    const end = duration > 0 || late > 0 ? days.after(actualEnd) : days.of(actualEnd)
    return { ...activity, start: 'done', at: Math.min(days.of(actualStart ?? actualEnd), end), end }
  }
  if (actualStart !== null) return { ...activity, start: 'started', at: days.of(actualStart) + late }
  // A constraint date is the start of that day, for a milestone too.
  const first = () => days.of(constraint.date ?? task.plannedStart)
  if (status === 'skipped') return { ...activity, start: 'open', at: links.length > 0 ? null : first() }
  if (constraint.type === 'hold') return { ...activity, start: 'held', at: first() }
  if (constraint.type === 'must_start_on') return { ...activity, start: 'fixed', at: first() }
  // A task without links or constraints keeps its date.
  return { ...activity, start: 'open', at: constraint.type === 'none' && links.length > 0 ? null : first() }
}

/** Returns the links to predecessors that are among the tasks. */
function linksBetween(predecessors: Task['predecessors'], places: ReadonlyMap<string, number>): Link[] {
  return predecessors.flatMap(({ taskId, type, lagDays }): Link[] => {
    const from = places.get(taskId)
    return from === undefined ? [] : [{ from, type, lag: lagDays }]
  })
}

function countWorkdays({ status, durationDays }: Pick<SchedulableTask, 'status' | 'durationDays'>): number {
  return status === 'skipped' ? 0 : durationDays
}

/**
 * Returns the day off on which the task is worked: the date of its constraint, if the task has a workdayOverride and the
 * community does not work on that date. Returns null for other tasks, and once it is completed.
 */
function getDayOff(task: SchedulableTask, days: Pick<DayNumbers, 'isWorkday'>): string | null {
  const { status, constraint, workdayOverride, actualStart, durationDays } = task
  const { type, date } = constraint
  if (!workdayOverride || date === null || (type !== 'must_start_on' && type !== 'hold')) return null
  if (durationDays === 0 || status === 'skipped' || status === 'completed') return null
  return (actualStart ?? date) === date && !days.isWorkday(date) ? date : null
}

/** Returns whether the task is a milestone at the end of its day, because it follows the end of a task. */
export function isAtEndOfDay(task: Pick<SchedulableTask, 'status' | 'durationDays' | 'predecessors'>): boolean {
  return countWorkdays(task) === 0 && task.predecessors.some(({ type }) => type === 'FS' || type === 'FF')
}

function toTaskDates(task: SchedulableTask, position: Position, days: DayNumbers): TaskDates {
  const { status, actualStart, actualEnd } = task
  const isPoint = countWorkdays(task) === 0
  // A milestone whose date is its constraint falls at the start of that day.
  const isAtDayEnd = isAtEndOfDay(task) && (position.driver !== null || actualStart !== null || status === 'skipped')
  const back = isPoint ? (isAtDayEnd ? 1 : 0) : 1
  const startOf = (point: number) => days.date(isPoint ? point - back : point)
  const endOf = (point: number) => days.date(point - back)
  const dayOff = getDayOff(task, days)
  const isOnlyDay = dayOff !== null && position.start === position.finish
  const earlyStart = actualStart ?? dayOff ?? startOf(position.start)
  if (status === 'completed' && actualEnd !== null) {
    const { plannedStart, plannedEnd } = task
    const facts = { earlyStart, earlyFinish: actualEnd, lateStart: earlyStart, lateFinish: actualEnd }
    return { plannedStart, plannedEnd, ...facts, totalFloatDays: null, isCritical: false }
  }
  const earlyFinish = isOnlyDay ? dayOff : endOf(position.finish)
  const isLeft = status !== 'skipped'
  return {
    // A task that started early can end before its planned start.
    plannedStart: actualStart === null || task.plannedStart > earlyFinish ? earlyStart : task.plannedStart,
    plannedEnd: earlyFinish,
    earlyStart,
    earlyFinish,
    lateStart: dayOff === null ? startOf(position.lateStart) : getLateStart(position, dayOff, days),
    lateFinish: isOnlyDay && position.lateFinish === position.finish ? dayOff : endOf(position.lateFinish),
    totalFloatDays: isLeft ? position.float : null,
    isCritical: isLeft && position.float <= 0,
  }
}

/** Returns the late start of a task on a day off. On any other date, the work needs one more of the numbered workdays. */
function getLateStart({ start, lateStart }: Position, dayOff: string, days: DayNumbers): string {
  return lateStart === start ? dayOff : days.date(lateStart - 1)
}

/** Returns the index of a task whose dates are out of range; of one whose late dates are, if no other is. */
function findOutOfBounds(positions: readonly Position[], { first, last }: DayNumbers): number {
  const place = positions.findIndex(({ start, finish }) => start < first || finish > last)
  return place >= 0 ? place : positions.findIndex(({ lateStart }) => lateStart < first)
}

/** Returns the day on which the last task ends; null without tasks. */
export function findLastDay(dates: readonly Pick<TaskDates, 'earlyFinish'>[]): string | null {
  return dates.reduce<string | null>(
    (last, { earlyFinish }) => (last === null || earlyFinish > last ? earlyFinish : last),
    null,
  )
}

/**
 * Returns the progress weighted by duration, in percent with two decimals. Milestones count only if there is nothing
 * else; skipped tasks do not count.
 */
export function computePercentDone(
  tasks: readonly Pick<Task, 'status' | 'durationDays' | 'percentComplete'>[],
): number {
  const work = tasks.filter(({ status }) => status !== 'skipped')
  const total = work.reduce((sum, { durationDays }) => sum + durationDays, 0)
  const weightOf = (durationDays: number) => (total === 0 ? 1 / work.length : durationDays / total)
  const done = work.reduce((sum, task) => sum + weightOf(task.durationDays) * task.percentComplete, 0)
  return Math.round(done * 100) / 100
}
