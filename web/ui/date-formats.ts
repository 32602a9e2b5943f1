import { formatCount } from './text-formats.ts'

/**
 * Formats dates and times in the organization's time zone. Dates have the form `2026-12-05`. Timestamps are in ISO 8601
 * format.
 */
export interface DateFormats {
  /** The current date in the time zone. */
  today(): string
  /** Formats a date as `Sat, Dec 5` in the current year, and otherwise as `Jul 19, 2027`. */
  day(date: string): string
  /** Formats a date as `Dec 5`, for narrow places. */
  shortDay(date: string): string
  /** Formats a date as `Saturday, December 5`, with the year if it is not the current year. */
  wholeDay(date: string): string
  /** Formats a timestamp as `Nov 23, 8:40 AM`, with the year if it is not the current year. */
  time(timestamp: string): string
  /** Formats the time until or since a date as `12 days left`, `today`, or `3 days ago`. */
  left(date: string): string
  /** Returns the number of days from today to the date. */
  until(date: string): number
  /** Returns the date of a timestamp. */
  dateOf(timestamp: string): string
  /** Returns the timestamp at which a date starts in the time zone. */
  beginOf(date: string): string
  /** Converts a timestamp to local time for an input field, such as `2026-12-05T08:40`. */
  toLocalTime(timestamp: string): string
  /** Converts a local time such as `2026-12-05T08:40` to a timestamp. */
  fromLocalTime(localTime: string): string
  /** The short name of the zone, such as `CST`. */
  readonly zone: string
}

const DAY_MS = 86_400_000

export function createDateFormats(timeZone: string, now: () => Date = () => new Date()): DateFormats {
  const dates = new Intl.DateTimeFormat('en-CA', { timeZone })
  // A date has no time zone. Formatting it in UTC keeps the day unchanged in every time zone of the reader.
  const near = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', weekday: 'short', month: 'short', day: 'numeric' })
  const far = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'short', day: 'numeric', year: 'numeric' })
  const whole = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', weekday: 'long', month: 'long', day: 'numeric' })
  const wholeFar = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: 'UTC', weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' },
  })
  const short = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'short', day: 'numeric' })
  const clock = { hour: 'numeric', minute: '2-digit', month: 'short', day: 'numeric' } as const
  const times = new Intl.DateTimeFormat('en-US', { timeZone, ...clock })
  const farTimes = new Intl.DateTimeFormat('en-US', { timeZone, ...clock, year: 'numeric' })
  const zone = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'short' })
    .formatToParts(now())
    .find(({ type }) => type === 'timeZoneName')?.value
  const whole24 = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone, year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  })
  /** Returns the local time of a timestamp, as if it were UTC. */
  const shownAt = (timestamp: number) => Date.parse(`${whole24.format(timestamp).replace(' ', 'T')}Z`)
  /** Returns the timestamp at which clocks in the time zone show this time. `shown` is that time, as if it were UTC. */
  const findTimestamp = (shown: number) => {
    const guess = 2 * shown - shownAt(shown)
    // Corrects the result once more, because the offset from UTC may have changed between the two times.
    return new Date(guess + shown - shownAt(guess)).toISOString()
  }
  const today = () => dates.format(now())
  const until = (date: string) => Math.round((toUtcMs(date) - toUtcMs(today())) / DAY_MS)
  const isThisYear = (date: string) => date.slice(0, 4) === today().slice(0, 4)
  return {
    today,
    day: (date) => (isThisYear(date) ? near : far).format(toUtcMs(date)),
    shortDay: (date) => short.format(toUtcMs(date)),
    wholeDay: (date) => (isThisYear(date) ? whole : wholeFar).format(toUtcMs(date)),
    time: (timestamp) => (isThisYear(dates.format(new Date(timestamp))) ? times : farTimes).format(new Date(timestamp)),
    left(date) {
      const days = until(date)
      if (days === 0) return 'today'
      if (days > 0) return `${formatCount(days, 'day')} left`
      return days === -1 ? 'yesterday' : `${formatCount(-days, 'day')} ago`
    },
    until,
    dateOf: (timestamp) => dates.format(new Date(timestamp)),
    beginOf: (date) => findTimestamp(toUtcMs(date)),
    toLocalTime: (timestamp) => new Date(shownAt(Date.parse(timestamp))).toISOString().slice(0, 16),
    fromLocalTime: (localTime) => findTimestamp(Date.parse(`${localTime.slice(0, 16)}Z`)),
    zone: zone ?? timeZone,
  }
}

function toUtcMs(date: string): number {
  return Date.parse(`${date.slice(0, 10)}T00:00:00Z`)
}
