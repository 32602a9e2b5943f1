/** Calendar dates are strings, YYYY-MM-DD, which sort correctly. Dates are days in a time zone, not timestamps. */

/** Returns the date of a timestamp in the time zone. */
export function toLocalDate(timeZone: string, timestamp: Date): string {
  let format = dateFormats.get(timeZone)
  if (format === undefined) {
    // The Canadian English form of a date is YYYY-MM-DD.
    format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
    dateFormats.set(timeZone, format)
  }
  return format.format(timestamp)
}

// Creating a date format takes longer than using it. There are about 600 time zones, so all formats can be kept.
const dateFormats = new Map<string, Intl.DateTimeFormat>()

const DAY_MS = 86_400_000

/** Returns the hours of a day in a time zone: 24, or 23 or 25 when clocks change between its noon and the noon before. */
export function countHoursOfDay(timeZone: string, date: string): number {
  // In some time zones, the year of the earliest timestamps does not have four digits.
  if (!/^[12]\d{3}-/.test(date)) return 24
  const before = offsetAtNoon(timeZone, addDays(date, -1))
  return 24 + (before - offsetAtNoon(timeZone, date)) / 60
}

function offsetAtNoon(timeZone: string, date: string): number {
  const noon = Date.parse(`${date}T12:00:00Z`)
  return offsetMinutes(timeZone, noon - offsetMinutes(timeZone, noon) * 60_000)
}

/** Returns how far the clocks of the time zone are ahead of UTC, in minutes. */
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
  // The first offset may be that of the day before a clock change, so the offset is determined again at the result.
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
 * Returns the Date for a timestamp that the contract accepts, with milliseconds. JavaScript itself parses only some of
 * the forms that RFC 3339 and ISO 8601 allow. JavaScript misreads other forms, such as an offset of hours only, or a
 * space between date and time.
 */
export function parseTimestamp(text: string): Date {
  const [, date, time, sign, hours, minutes = '00'] =
    /^(.{10})[Tt ]([\d:.]+)(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/.exec(text) ?? []
  return new Date(`${date}T${time}${sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`}`)
}

/**
 * Returns the first day of the week that contains the date. `weekStartsOn` is a number from 1 for Monday to 7 for
 * Sunday.
 */
export function getStartOfWeek(date: string, weekStartsOn: number): string {
  return addDays(date, -((new Date(date).getUTCDay() - weekStartsOn + 7) % 7))
}
