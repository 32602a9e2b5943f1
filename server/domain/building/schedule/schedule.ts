import type { Task } from '../../../../client/contract.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import type { WorkCalendar } from '../../../platform/values/workdays.ts'
import type { Activity, Link } from './network.ts'
import { type Position, schedule } from './passes.ts'

/** The fields of a task that scheduling uses. */
export type Scheduled = Pick<Task, 'id' | 'status' | 'durationDays' | 'constraint' | 'predecessors'> &
  Pick<Task, 'plannedStart' | 'plannedEnd' | 'actualStart' | 'actualEnd'>

/** The fields of a task that scheduling computes. */
export type Dates = Pick<Task, 'plannedStart' | 'plannedEnd' | 'earlyStart' | 'earlyFinish'> &
  Pick<Task, 'lateStart' | 'lateFinish' | 'totalFloatDays' | 'isCritical'>

export interface Placed {
  dates: Dates
  /** ID of the predecessor that determines the start; null if the task itself does. */
  driverId: string | null
}

/**
 * The result of scheduling: the tasks in the given order, the IDs of a ring, or the task whose dates are out of range.
 */
export type Outcome = { placed: Placed[] } | Refused
export type Refused = { ring: string[] } | { beyondId: string }

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
 * the actual dates, which are the early dates. A skipped task takes no time, and its successors wait for its
 * predecessors.
 */
export function scheduleOf(tasks: readonly Scheduled[], calendar: WorkCalendar): Outcome {
  const days = dayNumbers(calendar)
  const places = new Map(tasks.map(({ id }, place) => [id, place]))
  const scheduled = schedule(tasks.map((task) => activityOf(task, places, days)))
  if ('ring' in scheduled) return { ring: scheduled.ring.flatMap((place) => tasks[place]?.id ?? []) }
  const { positions } = scheduled
  const beyond = placeBeyond(positions, days)
  if (beyond >= 0) return { beyondId: tasks[beyond]?.id ?? '' }
  return {
    placed: tasks.map((task, place) => {
      const position = positions[place] as Position
      return {
        dates: datesOf(task, position, days),
        driverId: position.driver === null ? null : (tasks[position.driver.from]?.id ?? null),
      }
    }),
  }
}

interface DayNumbers {
  /** Returns the number of the workday on or after the date. */
  of(date: string): number
  /** Returns the point at the end of the date. */
  after(date: string): number
  date(number: number): string
  first: number
  last: number
}

function dayNumbers(calendar: WorkCalendar): DayNumbers {
  const origin = calendar.onOrAfter(ORIGIN)
  const of = (date: string) => calendar.between(origin, date)
  return {
    of,
    after: (date) => of(addDays(date, 1)),
    date: (number) => calendar.add(origin, number),
    first: of(FIRST_DAY),
    last: of(LAST_DAY),
  }
}

function activityOf(task: Scheduled, places: ReadonlyMap<string, number>, days: DayNumbers): Activity {
  const { status, constraint, actualStart, actualEnd } = task
  const duration = workdaysOf(task)
  // A milestone that follows the end of a task falls at the end of the day, and any other at the beginning.
  const late = fallsAtDayEnd(task) ? 1 : 0
  const links = task.predecessors.flatMap(({ taskId, type, lagDays }): Link[] => {
    const from = places.get(taskId)
    if (from === undefined) return []
    return [{ from, type, lag: lagDays + (type === 'SS' || type === 'SF' ? late : 0) }]
  })
  const activity = { duration, end: null, links }
  if (status === 'completed' && actualEnd !== null) {
    const end = duration > 0 || late > 0 ? days.after(actualEnd) : days.of(actualEnd)
    return { ...activity, start: 'done', at: Math.min(days.of(actualStart ?? actualEnd), end), end }
  }
  if (actualStart !== null) return { ...activity, start: 'started', at: days.of(actualStart) + late }
  const first = () => days.of(constraint.date ?? task.plannedStart) + late
  if (status === 'skipped') return { ...activity, start: 'open', at: links.length > 0 ? null : first() }
  if (constraint.type === 'hold') return { ...activity, start: 'held', at: first() }
  if (constraint.type === 'must_start_on') return { ...activity, start: 'fixed', at: first() }
  // A task without links or constraints keeps its date.
  return { ...activity, start: 'open', at: constraint.type === 'none' && links.length > 0 ? null : first() }
}

function workdaysOf({ status, durationDays }: Pick<Scheduled, 'status' | 'durationDays'>): number {
  return status === 'skipped' ? 0 : durationDays
}

/** Returns whether the task is a milestone at the end of its day, because it follows the end of a task. */
export function fallsAtDayEnd(task: Pick<Scheduled, 'status' | 'durationDays' | 'predecessors'>): boolean {
  return workdaysOf(task) === 0 && task.predecessors.some(({ type }) => type === 'FS' || type === 'FF')
}

function datesOf(task: Scheduled, position: Position, days: DayNumbers): Dates {
  const { status, actualStart, actualEnd } = task
  const isPoint = workdaysOf(task) === 0
  const back = isPoint ? (fallsAtDayEnd(task) ? 1 : 0) : 1
  const startOf = (point: number) => days.date(isPoint ? point - back : point)
  const endOf = (point: number) => days.date(point - back)
  const earlyStart = actualStart ?? startOf(position.start)
  if (status === 'completed' && actualEnd !== null) {
    const { plannedStart, plannedEnd } = task
    const facts = { earlyStart, earlyFinish: actualEnd, lateStart: earlyStart, lateFinish: actualEnd }
    return { plannedStart, plannedEnd, ...facts, totalFloatDays: null, isCritical: false }
  }
  const earlyFinish = endOf(position.finish)
  const isLeft = status !== 'skipped'
  return {
    plannedStart: actualStart === null ? earlyStart : task.plannedStart,
    plannedEnd: earlyFinish,
    earlyStart,
    earlyFinish,
    lateStart: startOf(position.lateStart),
    lateFinish: endOf(position.lateFinish),
    totalFloatDays: isLeft ? position.float : null,
    isCritical: isLeft && position.float <= 0,
  }
}

/** Returns the index of a task whose dates are out of range; of one whose late dates are, if no other is. */
function placeBeyond(positions: readonly Position[], { first, last }: DayNumbers): number {
  const place = positions.findIndex(({ start, finish }) => start < first || finish > last)
  return place >= 0 ? place : positions.findIndex(({ lateStart }) => lateStart < first)
}

/** Returns the day on which the last task ends; null without tasks. */
export function lastDayOf(dates: readonly Pick<Dates, 'earlyFinish'>[]): string | null {
  return dates.reduce<string | null>(
    (last, { earlyFinish }) => (last === null || earlyFinish > last ? earlyFinish : last),
    null,
  )
}

/**
 * Returns the progress weighted by duration, in percent with two decimals. Milestones count only if there is nothing
 * else; skipped tasks do not count.
 */
export function percentDone(tasks: readonly Pick<Task, 'status' | 'durationDays' | 'percentComplete'>[]): number {
  const work = tasks.filter(({ status }) => status !== 'skipped')
  const total = work.reduce((sum, { durationDays }) => sum + durationDays, 0)
  const weightOf = (durationDays: number) => (total === 0 ? 1 / work.length : durationDays / total)
  const done = work.reduce((sum, task) => sum + weightOf(task.durationDays) * task.percentComplete, 0)
  return Math.round(done * 100) / 100
}
