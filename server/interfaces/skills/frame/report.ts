import type { Call } from '../../../platform/calls/call.ts'
import { invalid } from '../../../platform/problems/problem.ts'
import { dateIn } from '../../../platform/values/calendar.ts'

/** What the result of every report ends with. */
export function reported({ now }: Call, { truncated = false, unknown = [] as string[] } = {}) {
  return { truncated, unknown, asOf: now.toISOString() }
}

/** The sentences that apply, as `unknown` has them. */
export function sentences(...each: readonly (string | false)[]): string[] {
  return each.filter((sentence) => sentence !== false)
}

export function todayOf({ timeZone, now }: Call): string {
  return dateIn(timeZone, now)
}

/** The days that a report covers: this year so far, unless the input says otherwise. */
export function periodOf(
  call: Call,
  { from, to = todayOf(call) }: { from?: string | undefined; to?: string | undefined },
): { from: string; to: string } {
  const first = from ?? `${to.slice(0, 4)}-01-01`
  if (first > to) throw invalid([{ pointer: '/to', code: 'minimum', message: `must not be before ${first}` }])
  return { from: first, to }
}

/** At most so many of the rows, and whether there were more; a query asks for one more than are listed. */
export function listed<Row>(rows: readonly Row[], most: number): { rows: Row[]; truncated: boolean } {
  return { rows: rows.slice(0, most), truncated: rows.length > most }
}
