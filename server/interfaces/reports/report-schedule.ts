import type { ReportSchedule } from '../../../client/contract.gen.ts'
import { addDays, toInstant, toLocalDate } from '../../platform/values/calendar.ts'

const WEEKDAYS = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const satisfies readonly ReportSchedule['weekday'][]

/** Reports are in the mailbox before the office opens. */
const MAILING_HOUR = 6

/** Time between two attempts on the same day. */
const RETRY_MS = 3_600_000

/** Returns the timestamp of the first weekly email after a time, in the time zone of the organization. */
export function planNextMailing({ weekday }: Pick<ReportSchedule, 'weekday'>, timeZone: string, after: Date): string {
  const today = toLocalDate(timeZone, after)
  const days = (WEEKDAYS.indexOf(weekday) - findWeekday(timeZone, after) + 7) % 7
  const next = toInstant(timeZone, addDays(today, days), MAILING_HOUR)
  return (next > after ? next : toInstant(timeZone, addDays(today, days + 7), MAILING_HOUR)).toISOString()
}

/**
 * Returns the timestamp of the next attempt after a temporary error: an hour later, but only on the chosen weekday. After
 * this day, the next weekly email follows.
 */
export function planRetry(schedule: Pick<ReportSchedule, 'weekday'>, timeZone: string, after: Date): string {
  const retry = new Date(after.getTime() + RETRY_MS)
  const isChosenDay = [after, retry].every((at) => findWeekday(timeZone, at) === WEEKDAYS.indexOf(schedule.weekday))
  return isChosenDay ? retry.toISOString() : planNextMailing(schedule, timeZone, after)
}

/** Returns the number of the day of the week in a time zone, counted from Sunday. */
function findWeekday(timeZone: string, at: Date): number {
  return new Date(`${toLocalDate(timeZone, at)}T00:00:00Z`).getUTCDay()
}
