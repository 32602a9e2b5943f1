import type { Call } from '../../../platform/calls/call.ts'
import { invalid } from '../../../platform/problems/problem.ts'
import { dateIn } from '../../../platform/values/calendar.ts'

/** Returns the fields at the end of every report. */
export function reported({ now }: Call, { truncated = false, unknown = [] as string[] } = {}) {
  return { truncated, unknown, asOf: now.toISOString() }
}

/** Returns the sentences that apply, for `unknown`. */
export function sentences(...each: readonly (string | false)[]): string[] {
  return each.filter((sentence) => sentence !== false)
}

export function todayOf({ timeZone, now }: Call): string {
  return dateIn(timeZone, now)
}

/** Returns the dates that a report covers: the current year so far, unless the input says otherwise. */
export function periodOf(
  call: Call,
  { from, to = todayOf(call) }: { from?: string | undefined; to?: string | undefined },
): { from: string; to: string } {
  const first = from ?? `${to.slice(0, 4)}-01-01`
  if (first > to) throw invalid([{ pointer: '/to', code: 'minimum', message: `must not be before ${first}` }])
  return { from: first, to }
}

/** Returns at most `most` rows, and whether there were more. The query must read one more row than is listed. */
export function listed<Row>(rows: readonly Row[], most: number): { rows: Row[]; truncated: boolean } {
  return { rows: rows.slice(0, most), truncated: rows.length > most }
}
