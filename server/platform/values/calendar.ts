/** Calendar dates are strings, YYYY-MM-DD, which sort correctly. They are days in some time zone, not timestamps. */

/** Returns the date in the time zone at this time. */
export function dateIn(timeZone: string, timestamp: Date): string {
  let format = dateFormats.get(timeZone)
  if (format === undefined) {
    // The Canadian English form of a date is YYYY-MM-DD.
    format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
    dateFormats.set(timeZone, format)
  }
  return format.format(timestamp)
}

// Creating a format takes longer than using it. There are about 600 time zones.
const dateFormats = new Map<string, Intl.DateTimeFormat>()

const DAY_MS = 86_400_000

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10)
}

export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS
}

/**
 * Returns a timestamp that the contract accepts, with milliseconds. JavaScript itself parses only some of the forms
 * that RFC 3339 and ISO 8601 allow, and misreads others: an offset of hours alone, or a space between date and time.
 */
export function parseTimestamp(text: string): Date {
  const [, date, time, sign, hours, minutes = '00'] =
    /^(.{10})[Tt ]([\d:.]+)(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/.exec(text) ?? []
  return new Date(`${date}T${time}${sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`}`)
}

/** Returns the first day of the week that contains the date. `weekStartsOn` is 1 for Monday to 7 for Sunday. */
export function startOfWeek(date: string, weekStartsOn: number): string {
  return addDays(date, -((new Date(date).getUTCDay() - weekStartsOn + 7) % 7))
}
