/**
 * Which days are worked. Workdays are numbered without gaps, weekends and holidays left out, so that counting them
 * takes the same time over a week and over a decade.
 */
export interface WorkCalendar {
  isWorkday(date: string): boolean
  /** The date itself, or the first workday after it. */
  onOrAfter(date: string): string
  /** The date itself, or the last workday before it. */
  onOrBefore(date: string): string
  /** The workday that lies so many workdays after the date, or before it if negative; with 0, `onOrAfter`. */
  add(date: string, workdays: number): string
  /** How many workdays there are from the first date up to, but not including, the second; negative if it is earlier. */
  between(from: string, to: string): number
}

/** The days of the week are 1 for Monday to 7 for Sunday, at least one of them worked; holidays are dates. */
export function workCalendar(given: { workdays: readonly number[]; holidays: readonly string[] }): WorkCalendar {
  const isWorked = Array.from({ length: 7 }, (_, day) => given.workdays.includes(day + 1))
  const aWeek = isWorked.filter(Boolean).length
  if (aWeek === 0) throw new Error('Expected a calendar with at least one workday a week.')
  const worked = [0, 1, 2, 3, 4, 5, 6].filter((day) => isWorked[day])
  const workedBefore = isWorked.map((_, day) => worked.filter((each) => each < day).length)
  const off = [...new Set(given.holidays.map(dayOf))].filter(isInWeek).sort((a, b) => a - b)

  function isInWeek(day: number): boolean {
    return isWorked[weekday(day)] === true
  }

  /** The number of the first workday on or after the day. */
  function ordinal(day: number): number {
    return Math.floor(day / 7) * aWeek + (workedBefore[weekday(day)] ?? 0) - countBelow(off, day)
  }

  /** The workday of that number. */
  function dayAt(wanted: number): number {
    // Each holiday up to the result moves it one further, and may bring another one into reach.
    for (let skipped = 0; ; ) {
      const place = wanted + skipped
      const day = Math.floor(place / aWeek) * 7 + (worked[modulo(place, aWeek)] ?? 0)
      const passed = countBelow(off, day + 1)
      if (passed === skipped) return day
      skipped = passed
    }
  }

  return {
    isWorkday: (date) => dayAt(ordinal(dayOf(date))) === dayOf(date),
    onOrAfter: (date) => dateOf(dayAt(ordinal(dayOf(date)))),
    onOrBefore: (date) => dateOf(dayAt(ordinal(dayOf(date) + 1) - 1)),
    add: (date, workdays) => dateOf(dayAt(ordinal(dayOf(date)) + workdays)),
    between: (from, to) => ordinal(dayOf(to)) - ordinal(dayOf(from)),
  }
}

const DAY_MS = 86_400_000

// Counted from a Monday, so that day 0 begins a week.
const MONDAY = Date.UTC(1970, 0, 5)

function dayOf(date: string): number {
  return (Date.parse(date) - MONDAY) / DAY_MS
}

function dateOf(day: number): string {
  return new Date(MONDAY + day * DAY_MS).toISOString().slice(0, 10)
}

function weekday(day: number): number {
  return modulo(day, 7)
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}

/** How many of the sorted numbers are below the limit. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? limit) < limit) low = middle + 1
    else high = middle
  }
  return low
}
