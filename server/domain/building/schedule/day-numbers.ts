import { addDays } from '../../../platform/values/calendar.ts'
import type { WorkCalendar } from '../../../platform/values/workdays.ts'

/** Dates outside this range are assumed to be mistakes. */
export const FIRST_DAY = '1900-01-01'
export const LAST_DAY = '2999-12-31'

// Point 0 is in the middle of the dates that schedules typically use.
const ORIGIN = '2025-01-06'

/** Converts between dates and the points of a network, which are numbered in workdays. */
export interface DayNumbers {
  /** Returns the number of the first workday on or after the date. */
  of(date: string): number
  /** Returns the point at the end of the day. */
  after(date: string): number
  date(number: number): string
  isWorkday(date: string): boolean
  first: number
  last: number
}

export function createDayNumbers(calendar: WorkCalendar): DayNumbers {
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
