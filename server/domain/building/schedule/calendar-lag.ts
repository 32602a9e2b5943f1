import { addDays } from '../../../platform/values/calendar.ts'
import type { DayNumbers } from './day-numbers.ts'
import type { LinkShift, LinkType } from './network.ts'

/** The dates of a predecessor, as far as the points of the network do not state them. */
export interface PredecessorDays {
  /** Whether the predecessor has no duration. */
  isPoint: boolean
  /** Whether the predecessor is a milestone at the end of its day, unless its own date determines the start. */
  isAtDayEnd: boolean
  /** The start date, if it is known and may be a day off; otherwise null. */
  startDate: string | null
  /** The inclusive end date, if it is known and may be a day off; otherwise null. */
  endDate: string | null
}

/**
 * Returns a lag in calendar days, which continue on weekends and holidays. The lag counts from the end of the
 * predecessor's last day, or from the beginning of its first day. If the lag ends on a day off, the link allows the
 * next workday.
 */
export function createCalendarShift(
  type: LinkType,
  lagDays: number,
  predecessor: PredecessorDays,
  days: Pick<DayNumbers, 'of' | 'date'>,
): LinkShift {
  const { isPoint, isAtDayEnd, startDate, endDate } = predecessor
  const leavesFinish = type.startsWith('F')
  const meetsStart = type.endsWith('S')
  const known = leavesFinish ? (endDate === null ? null : dayAfterEnd(endDate)) : startDate

  // A milestone at the beginning of its day ends on the same day on which its successor can start.
  function dayAfterEnd(date: string): string {
    return isPoint && !isAtDayEnd ? date : addDays(date, 1)
  }

  /** Returns the day that begins at the point: after the end of a task, or at the start of a task. */
  function dayAt(point: number, isDriven: boolean): string {
    const isAfterDay = isPoint ? isAtDayEnd && isDriven : leavesFinish
    return isAfterDay ? addDays(days.date(point - 1), 1) : days.date(point)
  }

  return {
    forward: ({ start, finish, driver }) => {
      const from = known ?? dayAt(leavesFinish ? finish : start, driver !== null)
      const target = addDays(from, lagDays)
      return meetsStart ? days.of(target) : days.of(addDays(target, -1)) + 1
    },
    backward: (point) => {
      const latest = meetsStart ? addDays(days.date(point), -lagDays) : addDays(days.date(point - 1), 1 - lagDays)
      const isAfterDay = isPoint ? isAtDayEnd : leavesFinish
      return isAfterDay ? days.of(latest) : days.of(addDays(latest, 1)) - 1
    },
  }
}
