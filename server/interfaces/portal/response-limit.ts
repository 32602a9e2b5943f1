import { Problem } from '../../platform/problems/problem.ts'
import { formatRetryAdvice } from '../../platform/values/format.ts'
import type { ResponseCount } from './queries.ts'

/** The maximum number of changed responses per hour, because the builder has to act on each change. */
const MAX_RESPONSES = 6
const HOUR_MS = 3_600_000

/**
 * Adds one response to the count. Throws `too_many_answers` if the new count exceeds the limit. The caller must have
 * locked the record, so that concurrent responses are counted one after another.
 */
export function incrementResponseCount({ since, count }: ResponseCount, now: Date, to: string): ResponseCount {
  const endsAt = since === null ? 0 : Date.parse(since) + HOUR_MS
  const left = endsAt - now.getTime()
  if (left <= 0) return { since: now.toISOString(), count: 1 }
  if (count < MAX_RESPONSES) return { since, count: count + 1 }
  const seconds = Math.ceil(left / 1000)
  const detail = `The response to ${to} can change at most ${MAX_RESPONSES} times per hour. The last response is saved. ${formatRetryAdvice(seconds)}`
  throw new Problem('too_many_answers', detail, {}, { 'Retry-After': String(seconds) })
}
