import { Problem } from '../../platform/problems/problem.ts'
import type { AnswerCount } from './queries.ts'

/** The builder acts on each changed answer, so only a few per hour are allowed. */
const MAX_ANSWERS = 6
const HOUR_MS = 3_600_000

/**
 * Returns the count including one more answer. Throws `too_many_answers`. The answered record is locked, so concurrent
 * answers are counted one after the other.
 */
export function countAnswer({ since, count }: AnswerCount, now: Date, to: string): AnswerCount {
  const endsAt = since === null ? 0 : Date.parse(since) + HOUR_MS
  const left = endsAt - now.getTime()
  if (left <= 0) return { since: now.toISOString(), count: 1 }
  if (count < MAX_ANSWERS) return { since, count: count + 1 }
  const detail = `The response to ${to} can change at most ${MAX_ANSWERS} times per hour. The last response is saved.`
  throw new Problem('too_many_answers', detail, {}, { 'Retry-After': String(Math.ceil(left / 1000)) })
}
