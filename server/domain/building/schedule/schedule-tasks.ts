import type { Task } from '../../../../client/contract.gen.ts'
import type { WorkCalendar } from '../../../platform/values/workdays.ts'
import { createCalendarShift, type PredecessorDays } from './calendar-lag.ts'
import { computeCriticalPath, type Position } from './critical-path.ts'
import { createDayNumbers, type DayNumbers } from './day-numbers.ts'
import { type Activity, type Link, type LinkType, sortActivities } from './network.ts'

/** The fields of a task that scheduling reads. */
export type SchedulableTask = Pick<
  Task,
  'id' | 'status' | 'durationDays' | 'constraint' | 'workdayOverride' | 'startDelayDays'
> & { predecessors: readonly SchedulableLink[] } & Pick<
    Task,
    'plannedStart' | 'plannedEnd' | 'actualStart' | 'actualEnd'
  > &
  Partial<Pick<Task, 'inspectionResult' | 'remainingDays' | 'remainingAsOf'>>

/**
 * A link of a task. In links that the previous version wrote during an upgrade, the unit is absent and means workdays.
 */
export type SchedulableLink = Omit<Task['predecessors'][number], 'lagUnit'> &
  Partial<Pick<Task['predecessors'][number], 'lagUnit'>>

/** The fields of a task that scheduling computes. */
export type TaskDates = Pick<Task, 'plannedStart' | 'plannedEnd' | 'earlyStart' | 'earlyFinish'> &
  Pick<Task, 'lateStart' | 'lateFinish' | 'totalFloatDays' | 'isCritical'>

export interface PlacedTask {
  dates: TaskDates
  /** The ID of the predecessor that determines the start; null if no predecessor determines it. */
  driverId: string | null
}

/**
 * The result of scheduling: the tasks in the given order, or an error. `ring` contains the IDs of tasks that form a
 * cycle. `beyondId` identifies a task whose dates are out of range.
 */
export type ScheduleOutcome = { placed: PlacedTask[] } | ScheduleError
export type ScheduleError = { ring: string[] } | { beyondId: string } | { overloadedId: string }

/**
 * Schedules the tasks of one home according to their durations, links, constraints, and progress.
 *
 * A started task keeps its planned start, and a completed task keeps both planned dates, so that the plan can be
 * compared with the actual dates (the early dates). If a started task would end before its planned start, its planned
 * start becomes the actual start. A skipped task has no duration, and its successors take over its links.
 *
 * @param dataDate the earliest day on which a started task can end; null for no limit. This limit applies only to the
 * early and late dates of the started task, so that its planned end shows that the task is late. Tasks that have not
 * started do not move until somebody reports a delay.
 */
export function scheduleTasks(
  tasks: readonly SchedulableTask[],
  calendar: WorkCalendar,
  dataDate: string | null = null,
): ScheduleOutcome {
  const days = createDayNumbers(calendar)
  const places = new Map(tasks.map(({ id }, place) => [id, place]))
  const ordered = sortActivities(tasks.map(({ predecessors }) => ({ links: listLinkedPlaces(predecessors, places) })))
  if ('ring' in ordered) return { ring: ordered.ring.flatMap((place) => tasks[place]?.id ?? []) }
  const inherited = inheritLinks(tasks)
  if ('overloadedId' in inherited) return inherited
  const linked = tasks.map((task, place): LinkedTask => ({ ...task, predecessors: inherited.links[place] ?? [] }))
  const scheduled = computeCriticalPath(linked.map((task) => toActivity(task, linked, places, days, dataDate)))
  if ('ring' in scheduled) return { ring: scheduled.ring.flatMap((place) => tasks[place]?.id ?? []) }
  const { positions } = scheduled
  const beyond = findOutOfBounds(positions, days)
  if (beyond >= 0) return { beyondId: tasks[beyond]?.id ?? '' }
  return {
    placed: linked.map((task, place) => {
      const position = positions[place] as Position
      return {
        dates: toTaskDates(task, position, days),
        driverId: position.driver === null ? null : (tasks[position.driver.from]?.id ?? null),
      }
    }),
  }
}

/** A link whose lag has a part in workdays and a part in calendar days. */
interface JoinedLink {
  taskId: string
  type: LinkType
  workdays: number
  calendarDays: number
}

/** A task with its effective links. */
type LinkedTask = Omit<SchedulableTask, 'predecessors'> & { predecessors: readonly JoinedLink[] }

/**
 * The maximum number of links that the tasks of a home inherit from skipped tasks. This is twice the number of links that
 * the maximum of 1,000 tasks can have. Without a limit, a chain of skipped tasks with many predecessors each would keep
 * a request busy for minutes.
 */
export const MAX_INHERITED_LINKS = 100_000

/**
 * Returns the effective links of each task. Replaces a link to a skipped predecessor with links to the predecessors of
 * the skipped task. The lag of each new link is the sum of the two lags. The type of each new link combines the outer
 * ends of the two links. If there are several links of the same type to the same task, omits links that another link
 * makes redundant because both parts of its lag are at least as long. The tasks must not form a cycle.
 */
function inheritLinks(tasks: readonly SchedulableTask[]): { links: JoinedLink[][] } | { overloadedId: string } {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const known = new Map<string, JoinedLink[]>()
  let inherited = 0
  let overloadedId: string | null = null
  const linksOf = (task: SchedulableTask): JoinedLink[] => {
    const before = known.get(task.id)
    if (before !== undefined) return before
    const links = new Map<string, JoinedLink[]>()
    const keep = (link: JoinedLink) => {
      const key = `${link.taskId} ${link.type}`
      const others = links.get(key) ?? []
      if (others.some((other) => isAtLeastAsLong(other, link))) return
      links.set(key, [...others.filter((other) => !isAtLeastAsLong(link, other)), link])
    }
    for (const predecessor of task.predecessors) {
      const link = toJoinedLink(predecessor)
      const through = byId.get(link.taskId)
      if (through?.status !== 'skipped') keep(link)
      else
        for (const { taskId, type, workdays, calendarDays } of linksOf(through)) {
          if (++inherited > MAX_INHERITED_LINKS) {
            overloadedId ??= task.id
            break
          }
          const lags = { workdays: workdays + link.workdays, calendarDays: calendarDays + link.calendarDays }
          keep({ taskId, type: joined(type, link.type), ...lags })
        }
    }
    const all = [...links.values()].flat()
    known.set(task.id, all)
    return all
  }
  const links = tasks.map(linksOf)
  return overloadedId === null ? { links } : { overloadedId }
}

function toJoinedLink({ taskId, type, lagDays, lagUnit }: SchedulableLink): JoinedLink {
  const isInCalendarDays = lagUnit === 'calendar_days'
  return { taskId, type, workdays: isInCalendarDays ? 0 : lagDays, calendarDays: isInCalendarDays ? lagDays : 0 }
}

function isAtLeastAsLong(one: JoinedLink, other: JoinedLink): boolean {
  return one.workdays >= other.workdays && one.calendarDays >= other.calendarDays
}

/** Returns whether a task has a predecessor that is not skipped, directly or through skipped predecessors. */
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

/** Returns the type of the link that starts where the first link starts and ends where the second link ends. */
function joined(first: LinkType, second: LinkType): LinkType {
  return `${first.startsWith('F') ? 'F' : 'S'}${second.endsWith('F') ? 'F' : 'S'}`
}

function toActivity(
  task: LinkedTask,
  tasks: readonly LinkedTask[],
  places: ReadonlyMap<string, number>,
  days: DayNumbers,
  dataDate: string | null,
): Activity {
  const { status, constraint, actualStart, actualEnd } = task
  // A day off has no workday number, so one day of the work does not count in the duration.
  const duration = countWorkdays(task) - (getDayOff(task, days) === null ? 0 : 1)
  // A milestone that follows the end of a task is at the end of its day. All other milestones are at the beginning.
  const late = isEndOfDayMilestone(task) ? 1 : 0
  const links = task.predecessors.flatMap((link): Link[] => {
    const from = places.get(link.taskId)
    const predecessor = from === undefined ? undefined : tasks[from]
    if (from === undefined || predecessor === undefined) return []
    const { type, workdays, calendarDays } = link
    const lag = workdays + task.startDelayDays + (type === 'SS' || type === 'SF' ? late : 0)
    if (calendarDays === 0) return [{ from, type, lag }]
    const shift = createCalendarShift(type, calendarDays, toPredecessorDays(predecessor, days), days)
    return [{ from, type, lag, shift }]
  })
  const activity = { duration, end: null, links }
  if (status === 'completed' && actualEnd !== null) {
    const end = duration > 0 || late > 0 ? days.after(actualEnd) : days.of(actualEnd)
    return { ...activity, start: 'done', at: Math.min(days.of(actualStart ?? actualEnd), end), end }
  }
  if (actualStart !== null) {
    const at = days.of(getHeldStart(task, actualStart)) + late
    // If the data date is a day off, the work can end on the next workday at the earliest.
    const earliestEnd = duration === 0 || dataDate === null ? null : days.of(dataDate) + 1
    return { ...activity, start: 'started', at, earliestEnd, duration: getStartedDuration(task, at, duration, days) }
  }
  // A constraint date means the start of that day, also for milestones.
  const first = () => days.of(constraint.date ?? task.plannedStart)
  if (status === 'skipped') return { ...activity, start: 'open', at: links.length > 0 ? null : first() }
  if (constraint.type === 'hold') return { ...activity, start: 'held', at: first() }
  if (constraint.type === 'must_start_on') return { ...activity, start: 'fixed', at: first() }
  // A task with neither links nor a constraint keeps its date.
  return { ...activity, start: 'open', at: constraint.type === 'none' && links.length > 0 ? null : first() }
}

/**
 * Returns the number of workdays from the start of a started task to its end, as determined by its duration or its
 * reported remaining days.
 */
function getStartedDuration(
  { remainingDays, remainingAsOf }: Pick<SchedulableTask, 'remainingDays' | 'remainingAsOf'>,
  at: number,
  duration: number,
  days: Pick<DayNumbers, 'of'>,
): number {
  if (duration === 0 || remainingDays == null || remainingAsOf == null) return duration
  return Math.max(days.of(remainingAsOf) + remainingDays - at, 1)
}

/**
 * Returns the start that successors use. If an inspection failed before its planned start, returns the planned start,
 * so that successors do not move earlier because of the failure.
 */
function getHeldStart(
  { inspectionResult, plannedStart }: Pick<SchedulableTask, 'inspectionResult' | 'plannedStart'>,
  actualStart: string,
): string {
  return inspectionResult === 'failed' && plannedStart > actualStart ? plannedStart : actualStart
}

/**
 * Returns the known dates of a predecessor. The returned dates can be days off, for which the network has no points.
 */
function toPredecessorDays(task: LinkedTask, days: DayNumbers): PredecessorDays {
  const { status, actualStart, actualEnd } = task
  const dayOff = getDayOff(task, days)
  const isHeldEarlier = actualStart !== null && getHeldStart(task, actualStart) !== actualStart
  return {
    isPoint: countWorkdays(task) === 0,
    isAtDayEnd: isEndOfDayMilestone(task),
    startDate: isHeldEarlier ? null : (actualStart ?? dayOff),
    endDate: status === 'completed' ? actualEnd : task.durationDays === 1 ? dayOff : null,
  }
}

/** Returns links to those predecessors that are among the given tasks. The links have no lags. */
function listLinkedPlaces(predecessors: readonly SchedulableLink[], places: ReadonlyMap<string, number>): Link[] {
  return predecessors.flatMap(({ taskId, type }): Link[] => {
    const from = places.get(taskId)
    return from === undefined ? [] : [{ from, type, lag: 0 }]
  })
}

function countWorkdays({ status, durationDays }: Pick<SchedulableTask, 'status' | 'durationDays'>): number {
  return status === 'skipped' ? 0 : durationDays
}

/**
 * Returns the day off on which the task is scheduled: the date of its constraint, if the task has a workdayOverride and
 * the date is not a workday of the community. Returns null for all other tasks and for completed tasks.
 */
function getDayOff(task: Omit<SchedulableTask, 'predecessors'>, days: Pick<DayNumbers, 'isWorkday'>): string | null {
  const { status, constraint, workdayOverride, actualStart, durationDays } = task
  const { type, date } = constraint
  if (!workdayOverride || date === null || (type !== 'must_start_on' && type !== 'hold')) return null
  if (durationDays === 0 || status === 'skipped' || status === 'completed') return null
  return (actualStart ?? date) === date && !days.isWorkday(date) ? date : null
}

/**
 * Returns whether the task is a milestone that follows the end of another task and is therefore at the end of its day.
 */
export function isEndOfDayMilestone(
  task: Pick<SchedulableTask, 'status' | 'durationDays'> & { predecessors: readonly { type: LinkType }[] },
): boolean {
  return countWorkdays(task) === 0 && task.predecessors.some(({ type }) => type === 'FS' || type === 'FF')
}

function toTaskDates(task: LinkedTask, position: Position, days: DayNumbers): TaskDates {
  const { status, actualStart, actualEnd } = task
  const isPoint = countWorkdays(task) === 0
  // If a constraint determines the date of a milestone, the milestone is at the start of that day.
  const isAtDayEnd =
    isEndOfDayMilestone(task) && (position.driver !== null || actualStart !== null || status === 'skipped')
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
  const plannedEnd = isOnlyDay ? dayOff : endOf(position.plannedFinish ?? position.finish)
  const isLeft = status !== 'skipped'
  return {
    // A task that started early can end before its planned start.
    plannedStart: actualStart === null || task.plannedStart > plannedEnd ? earlyStart : task.plannedStart,
    plannedEnd,
    earlyStart,
    earlyFinish,
    lateStart: dayOff === null ? startOf(position.lateStart) : getLateStart(position, dayOff, days),
    lateFinish: isOnlyDay && position.lateFinish === position.finish ? dayOff : endOf(position.lateFinish),
    totalFloatDays: isLeft ? position.float : null,
    isCritical: isLeft && position.float <= 0,
  }
}

/**
 * Returns the late start of a task that is scheduled on a day off. If the late start is a different date, the work uses
 * one more workday.
 */
function getLateStart({ start, lateStart }: Position, dayOff: string, days: DayNumbers): string {
  return lateStart === start ? dayOff : days.date(lateStart - 1)
}

/**
 * Returns the index of a task whose early dates are out of range. If there is none, returns the index of a task whose
 * late dates are out of range; -1 if all dates are in range.
 */
function findOutOfBounds(positions: readonly Position[], { first, last }: DayNumbers): number {
  const place = positions.findIndex(({ start, finish }) => start < first || finish > last)
  return place >= 0 ? place : positions.findIndex(({ lateStart }) => lateStart < first)
}

/** Returns the day on which the last task ends; null if there are no tasks. */
export function findLastDay(dates: readonly Pick<TaskDates, 'earlyFinish'>[]): string | null {
  return dates.reduce<string | null>(
    (last, { earlyFinish }) => (last === null || earlyFinish > last ? earlyFinish : last),
    null,
  )
}

/**
 * Returns the completed percentage of the schedule with two decimals, weighted by duration. Milestones count only if
 * there are no other tasks. Skipped tasks never count.
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
