/** Returns the date in a time zone, as YYYY-MM-DD. */
export function toLocalDate(timeZone: string, at = new Date()): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(at)
}

export function addDays(date: string, days: number): string {
  const at = new Date(`${date}T00:00:00Z`)
  at.setUTCDate(at.getUTCDate() + days)
  return at.toISOString().slice(0, 10)
}

const DAY = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', weekday: 'short', month: 'short', day: 'numeric' })

/** Formats a date, for example "Fri, Nov 27". */
export function formatDay(date: string): string {
  return DAY.format(new Date(`${date}T00:00:00Z`))
}

const TIME = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' })
const MOMENT = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })

/** Formats a local time on this phone. Includes the date unless it is today. */
export function formatMoment(at: string): string {
  const moment = new Date(at)
  return moment.toDateString() === new Date().toDateString() ? TIME.format(moment) : MOMENT.format(moment)
}
