import { addDays } from '../../../platform/values/calendar.ts'
import type { DayNumbers } from './day-numbers.ts'
import type { LinkShift, LinkType } from './network.ts'

/**
 * The known dates of a predecessor, for links with lags in calendar days. Points of the network are workdays, so they
 * cannot express a date that is a day off.
 */
export interface PredecessorDays {
  /** Whether the predecessor has no duration. */
  isPoint: boolean
  /** Whether the predecessor is a milestone at the end of its day, provided that a link determines its start. */
  isAtDayEnd: boolean
  /** The start date if it is known and may be a day off; otherwise, null. */
  startDate: string | null
  /** The inclusive end date if it is known and may be a day off; otherwise, null. */
  endDate: string | null
}

/**
 * Returns the functions for a lag in calendar days, which includes weekends and holidays. The lag starts at the end of
 * the predecessor's last day, or at the beginning of its first day. If the lag ends on a day off, the successor can
 * start on the next workday.
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

  // If a milestone is at the beginning of its day, its successor can start on the same day.
  function dayAfterEnd(date: string): string {
    return isPoint && !isAtDayEnd ? date : addDays(date, 1)
  }

  /** Returns the day that begins at the point. For the end of a task, this is the day after its last day. */
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
