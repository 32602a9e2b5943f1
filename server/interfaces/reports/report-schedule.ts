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

/** The hour at which reports are sent, so that they arrive before the office opens. */
const MAILING_HOUR = 6

/** The time between two attempts on the same day, in milliseconds. */
const RETRY_MS = 3_600_000

/** Returns the time of the first weekly email after `after`, in the organization's time zone. */
export function planNextMailing({ weekday }: Pick<ReportSchedule, 'weekday'>, timeZone: string, after: Date): string {
  const today = toLocalDate(timeZone, after)
  const days = (WEEKDAYS.indexOf(weekday) - findWeekday(timeZone, after) + 7) % 7
  const next = toInstant(timeZone, addDays(today, days), MAILING_HOUR)
  return (next > after ? next : toInstant(timeZone, addDays(today, days + 7), MAILING_HOUR)).toISOString()
}

/**
 * Returns the time of the next attempt after a temporary error. This is an hour later, if that is still on the chosen
 * weekday. Otherwise, it is the time of the next weekly email.
 */
export function planRetry(schedule: Pick<ReportSchedule, 'weekday'>, timeZone: string, after: Date): string {
  const retry = new Date(after.getTime() + RETRY_MS)
  const isChosenDay = [after, retry].every((at) => findWeekday(timeZone, at) === WEEKDAYS.indexOf(schedule.weekday))
  return isChosenDay ? retry.toISOString() : planNextMailing(schedule, timeZone, after)
}

/** Returns the day of the week in a time zone, from 0 for Sunday. */
function findWeekday(timeZone: string, at: Date): number {
  return new Date(`${toLocalDate(timeZone, at)}T00:00:00Z`).getUTCDay()
}
