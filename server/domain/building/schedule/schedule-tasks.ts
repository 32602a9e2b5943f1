import type { Task } from '../../../../client/contract.gen.ts'
import type { WorkCalendar } from '../../../platform/values/workdays.ts'
import { createCalendarShift, type PredecessorDays } from './calendar-lag.ts'
import { computeCriticalPath, type Position } from './critical-path.ts'
import { createDayNumbers, type DayNumbers } from './day-numbers.ts'
import { type Activity, type Link, type LinkType, sortActivities } from './network.ts'

/** The fields of a task that scheduling uses. */
export type SchedulableTask = Pick<
  Task,
  'id' | 'status' | 'durationDays' | 'constraint' | 'workdayOverride' | 'startDelayDays'
> & { predecessors: readonly SchedulableLink[] } & Pick<
    Task,
    'plannedStart' | 'plannedEnd' | 'actualStart' | 'actualEnd'
  > &
  Partial<Pick<Task, 'inspectionResult' | 'remainingDays' | 'remainingAsOf'>>

/** A link of a task. The unit is absent in links that the previous version wrote during an upgrade: workdays. */
export type SchedulableLink = Omit<Task['predecessors'][number], 'lagUnit'> &
  Partial<Pick<Task['predecessors'][number], 'lagUnit'>>

/** The fields of a task that scheduling computes. */
export type TaskDates = Pick<Task, 'plannedStart' | 'plannedEnd' | 'earlyStart' | 'earlyFinish'> &
  Pick<Task, 'lateStart' | 'lateFinish' | 'totalFloatDays' | 'isCritical'>

export interface PlacedTask {
  dates: TaskDates
  /** ID of the predecessor that determines the start; null if no predecessor does. */
  driverId: string | null
}

/**
 * The result of scheduling: the tasks in the given order, the IDs of a ring, the task whose dates are out of range, or a
 * task that would inherit too many links of skipped tasks.
 */
export type ScheduleOutcome = { placed: PlacedTask[] } | ScheduleError
export type ScheduleError = { ring: string[] } | { beyondId: string } | { overloadedId: string }

/**
 * Schedules the tasks of one home by their durations, links, constraints, and progress.
 *
 * A started task keeps its planned start, and a completed task keeps both planned dates. The plan can therefore be
 * compared with the actual dates, which are the early dates. If a started task would end before its planned start, its
 * planned start is the actual start. A skipped task takes no time, and its successors inherit its links.
 *
 * @param dataDate the day on which a started task can end at the earliest; null if it can end earlier. Only the early
 * and late dates of the started task follow this date, so that its planned end shows that it is late. A task that has
 * not started does not move until its delay is reported.
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

/** A task with the links that apply to it. */
type LinkedTask = Omit<SchedulableTask, 'predecessors'> & { predecessors: readonly JoinedLink[] }

/**
 * The maximum number of links that the tasks of a home inherit from skipped tasks. This is twice the number of links that
 * the maximum of 1,000 tasks can have. Without a limit, a chain of skipped tasks with many predecessors each would keep
 * a request busy for minutes.
 */
export const MAX_INHERITED_LINKS = 100_000

/**
 * Returns the links of each task. A link to a skipped predecessor is replaced by links to the predecessors of the
 * skipped task. Each replacement adds the lags of both links and keeps their outer ends. Of several links between the
 * same ends, a link is kept only if no other link has lags that are at least as long. The tasks must not form a ring.
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
  // A day off is not a numbered workday, so work on a day off takes up no numbered workday.
  const duration = countWorkdays(task) - (getDayOff(task, days) === null ? 0 : 1)
  // A milestone that follows the end of a task falls at the end of the day; any other milestone falls at the beginning.
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
    // On a day off, the work can end on the next workday.
    const earliestEnd = duration === 0 || dataDate === null ? null : days.of(dataDate) + 1
    return { ...activity, start: 'started', at, earliestEnd, duration: getStartedDuration(task, at, duration, days) }
  }
  // A constraint date means the start of that day, even for a milestone.
  const first = () => days.of(constraint.date ?? task.plannedStart)
  if (status === 'skipped') return { ...activity, start: 'open', at: links.length > 0 ? null : first() }
  if (constraint.type === 'hold') return { ...activity, start: 'held', at: first() }
  if (constraint.type === 'must_start_on') return { ...activity, start: 'fixed', at: first() }
  // A task without links or constraints keeps its date.
  return { ...activity, start: 'open', at: constraint.type === 'none' && links.length > 0 ? null : first() }
}

/** Returns the workdays from the start of a started task until its end, as far as the task itself determines them. */
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
 * Returns the start that successors follow. An inspection that failed before its planned start keeps its planned place,
 * so that nothing moves earlier because of a failure.
 */
function getHeldStart(
  { inspectionResult, plannedStart }: Pick<SchedulableTask, 'inspectionResult' | 'plannedStart'>,
  actualStart: string,
): string {
  return inspectionResult === 'failed' && plannedStart > actualStart ? plannedStart : actualStart
}

/** Returns the dates of a predecessor that can be days off, which have no point of their own in the network. */
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

/** Returns links to the predecessors that are among the given tasks, without their lags. */
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
 * Returns the day off on which the task is worked. This is the date of its constraint, if the task has a
 * workdayOverride and the community does not work on that date. Returns null for other tasks and for completed tasks.
 */
function getDayOff(task: Omit<SchedulableTask, 'predecessors'>, days: Pick<DayNumbers, 'isWorkday'>): string | null {
  const { status, constraint, workdayOverride, actualStart, durationDays } = task
  const { type, date } = constraint
  if (!workdayOverride || date === null || (type !== 'must_start_on' && type !== 'hold')) return null
  if (durationDays === 0 || status === 'skipped' || status === 'completed') return null
  return (actualStart ?? date) === date && !days.isWorkday(date) ? date : null
}

/** Returns whether the task is a milestone at the end of its day, because it follows the end of a task. */
export function isEndOfDayMilestone(
  task: Pick<SchedulableTask, 'status' | 'durationDays'> & { predecessors: readonly { type: LinkType }[] },
): boolean {
  return countWorkdays(task) === 0 && task.predecessors.some(({ type }) => type === 'FS' || type === 'FF')
}

function toTaskDates(task: LinkedTask, position: Position, days: DayNumbers): TaskDates {
  const { status, actualStart, actualEnd } = task
  const isPoint = countWorkdays(task) === 0
  // A milestone whose constraint determines its date falls at the start of that day.
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

/** Returns the late start of a task on a day off. On any other date, the work takes one more numbered workday. */
function getLateStart({ start, lateStart }: Position, dayOff: string, days: DayNumbers): string {
  return lateStart === start ? dayOff : days.date(lateStart - 1)
}

/**
 * Returns the index of a task whose dates are out of range. If no date is out of range, returns the index of a task
 * whose late dates are out of range.
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
 * Returns the progress weighted by duration, in percent with two decimals. Milestones count only if there are no other
 * tasks; skipped tasks never count.
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
