import { addDays } from '../../../platform/values/calendar.ts'
import type { WorkCalendar } from '../../../platform/values/workdays.ts'

/** Dates outside this range are treated as mistakes. */
export const FIRST_DAY = '1900-01-01'
export const LAST_DAY = '2999-12-31'

// Points are counted from a date in the middle of the dates that schedules use.
const ORIGIN = '2025-01-06'

/** Converts dates to the points of a network, which are counted in workdays, and back. */
export interface DayNumbers {
  /** Returns the number of the workday on or after the date. */
  of(date: string): number
  /** Returns the point at the end of the date. */
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
