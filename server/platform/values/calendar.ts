/**
 * Calendar dates are strings of the form YYYY-MM-DD, so they can be compared and sorted as text. A date is a day in a
 * time zone and not a timestamp.
 */

/** Returns the date of a timestamp in the time zone. */
export function toLocalDate(timeZone: string, timestamp: Date): string {
  let format = dateFormats.get(timeZone)
  if (format === undefined) {
    // In Canadian English, dates have the form YYYY-MM-DD.
    format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
    dateFormats.set(timeZone, format)
  }
  return format.format(timestamp)
}

// Date formats by time zone. The formats are cached, because creating one takes longer than using it. There are only
// about 600 time zones.
const dateFormats = new Map<string, Intl.DateTimeFormat>()

const DAY_MS = 86_400_000

/**
 * Returns the number of hours of a day in a time zone: 24, or 23 or 25 if clocks change between noon of the previous
 * day and noon of this day.
 */
export function countHoursOfDay(timeZone: string, date: string): number {
  // In some time zones, the year of very early timestamps does not have four digits.
  if (!/^[12]\d{3}-/.test(date)) return 24
  const before = offsetAtNoon(timeZone, addDays(date, -1))
  return 24 + (before - offsetAtNoon(timeZone, date)) / 60
}

function offsetAtNoon(timeZone: string, date: string): number {
  const noon = Date.parse(`${date}T12:00:00Z`)
  return offsetMinutes(timeZone, noon - offsetMinutes(timeZone, noon) * 60_000)
}

/** Returns the number of minutes by which the time zone is ahead of UTC. */
function offsetMinutes(timeZone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  }).formatToParts(new Date(at))
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '00'
  const local = `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}Z`
  return (Date.parse(local) - at) / 60_000
}

/** Returns the timestamp of a full hour on a day in a time zone. */
export function toInstant(timeZone: string, date: string, hour: number): Date {
  const asUtc = Date.parse(`${date}T${String(hour).padStart(2, '0')}:00:00Z`)
  // The first offset can be wrong on the day of a clock change, so determine the offset again at the resulting time.
  const guess = asUtc - offsetMinutes(timeZone, asUtc) * 60_000
  return new Date(asUtc - offsetMinutes(timeZone, guess) * 60_000)
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10)
}

export function countDaysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS
}

/**
 * Returns the Date for a timestamp that the API contract accepts, including milliseconds. JavaScript itself parses only
 * some of the formats of RFC 3339 and ISO 8601. JavaScript misreads others, such as an offset without minutes, or a
 * space between the date and the time.
 */
export function parseTimestamp(text: string): Date {
  const [, date, time, sign, hours, minutes = '00'] =
    /^(.{10})[Tt ]([\d:.]+)(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/.exec(text) ?? []
  return new Date(`${date}T${time}${sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`}`)
}

/**
 * Returns the first day of the week that contains the date. `weekStartsOn` is a number from 1 (Monday) to 7 (Sunday).
 */
export function getStartOfWeek(date: string, weekStartsOn: number): string {
  return addDays(date, -((new Date(date).getUTCDay() - weekStartsOn + 7) % 7))
}
