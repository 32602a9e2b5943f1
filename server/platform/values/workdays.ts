/**
 * Performs calculations with the workdays of a calendar. Workdays are numbered consecutively, without weekends and
 * holidays, so that a calculation takes the same time for a week as for a decade.
 */
export interface WorkCalendar {
  isWorkday(date: string): boolean
  /** Returns the date if it is a workday. Otherwise, returns the next workday. */
  onOrAfter(date: string): string
  /** Returns the date if it is a workday. Otherwise, returns the previous workday. */
  onOrBefore(date: string): string
  /**
   * Returns the workday that is the given number of workdays after the date, or before it if the number is negative. If
   * the number is 0, returns the same date as `onOrAfter`.
   */
  add(date: string, workdays: number): string
  /**
   * Returns the number of workdays from the first date (inclusive) to the second date (exclusive); negative if the
   * second date is earlier.
   */
  between(from: string, to: string): number
}

/**
 * Returns a calendar for calculations. The workdays are numbers from 1 (Monday) to 7 (Sunday), and there must be at
 * least one. The holidays are dates.
 */
export function createWorkCalendar(provided: {
  workdays: readonly number[]
  holidays: readonly string[]
}): WorkCalendar {
  const isWorked = Array.from({ length: 7 }, (_, day) => provided.workdays.includes(day + 1))
  const aWeek = isWorked.filter(Boolean).length
  if (aWeek === 0) throw new Error('Expected a calendar with at least one workday a week.')
  const worked = [0, 1, 2, 3, 4, 5, 6].filter((day) => isWorked[day])
  const workedBefore = isWorked.map((_, day) => worked.filter((each) => each < day).length)
  const off = [...new Set(provided.holidays.map(toDayNumber))].filter(isInWeek).sort((a, b) => a - b)

  function isInWeek(day: number): boolean {
    return isWorked[weekdayOf(day)] === true
  }

  /** Returns the number of the first workday on or after the day. */
  function ordinal(day: number): number {
    return Math.floor(day / 7) * aWeek + (workedBefore[weekdayOf(day)] ?? 0) - countBelow(off, day)
  }

  /** Returns the workday with this number. */
  function dayAt(requested: number): number {
    // Each holiday before the result moves it by one day, which can bring it past another holiday.
    for (let skipped = 0; ; ) {
      const place = requested + skipped
      const day = Math.floor(place / aWeek) * 7 + (worked[modulo(place, aWeek)] ?? 0)
      const passed = countBelow(off, day + 1)
      if (passed === skipped) return day
      skipped = passed
    }
  }

  return {
    isWorkday: (date) => dayAt(ordinal(toDayNumber(date))) === toDayNumber(date),
    onOrAfter: (date) => toDate(dayAt(ordinal(toDayNumber(date)))),
    onOrBefore: (date) => toDate(dayAt(ordinal(toDayNumber(date) + 1) - 1)),
    add: (date, workdays) => toDate(dayAt(ordinal(toDayNumber(date)) + workdays)),
    between: (from, to) => ordinal(toDayNumber(to)) - ordinal(toDayNumber(from)),
  }
}

const DAY_MS = 86_400_000

// A Monday, so that day 0 is the start of a week.
const MONDAY = Date.UTC(1970, 0, 5)

function toDayNumber(date: string): number {
  return (Date.parse(date) - MONDAY) / DAY_MS
}

function toDate(day: number): string {
  return new Date(MONDAY + day * DAY_MS).toISOString().slice(0, 10)
}

function weekdayOf(day: number): number {
  return modulo(day, 7)
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}

/** Returns the number of elements in a sorted list that are less than the limit. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? limit) < limit) low = middle + 1
    else high = middle
  }
  return low
}
