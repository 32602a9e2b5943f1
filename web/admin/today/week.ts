const DAY_MS = 86_400_000
const DAYS_IN_WEEK = 7
const WEEKDAY = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', weekday: 'short' })

/** Returns the seven days that start with this date. */
export function listWeekDays(date: string): { date: string; weekday: string; number: number }[] {
  const first = Date.parse(`${date}T00:00:00Z`)
  return Array.from({ length: DAYS_IN_WEEK }, (_, day) => {
    const at = new Date(first + day * DAY_MS)
    return { date: at.toISOString().slice(0, 10), weekday: WEEKDAY.format(at), number: at.getUTCDate() }
  })
}
