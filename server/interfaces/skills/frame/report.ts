import type { Call } from '../../../platform/calls/call.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'

/** Returns the fields that are last in every report. */
export function createReportFooter({ now }: Call, { truncated = false, unknown = [] as string[] } = {}) {
  return { truncated, unknown, asOf: now.toISOString() }
}

/**
 * Returns the sentences that apply, without the values that are `false`. The report shows them in its field `unknown`.
 */
export function selectSentences(...each: readonly (string | false)[]): string[] {
  return each.filter((sentence) => sentence !== false)
}

export function getToday({ timeZone, now }: Call): string {
  return toLocalDate(timeZone, now)
}

/** Returns the first and last day of a report. By default, these are the start of the current year and today. */
export function toReportPeriod(
  call: Call,
  { from, to = getToday(call) }: { from?: string | undefined; to?: string | undefined },
): { from: string; to: string } {
  const first = from ?? `${to.slice(0, 4)}-01-01`
  if (first > to) throw validationFailed([{ pointer: '/to', code: 'minimum', message: `must not be before ${first}` }])
  return { from: first, to }
}

/** Returns at most `max` rows and whether there are more. The query must have read up to `max` + 1 rows. */
export function truncateRows<Row>(rows: readonly Row[], max: number): { rows: Row[]; truncated: boolean } {
  return { rows: rows.slice(0, max), truncated: rows.length > max }
}
