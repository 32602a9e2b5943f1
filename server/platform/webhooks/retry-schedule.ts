/**
 * When a failed delivery is retried. The schedule lists the pauses in seconds, the first one before the first attempt.
 * After the last pause there are no further attempts.
 */

/**
 * Jitter, so that deliveries that failed together are not retried together: every pause is up to this fraction shorter
 * or longer. A little less than the fifth that the contract allows, to leave room for network time.
 */
const JITTER = 0.18

/** A receiver may ask for a longer wait than the schedule has, but not forever. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000

export interface FailedAttempt {
  /** Number of attempts of the schedule, including this one. */
  attempts: number
  endedAtMs: number
  retryAfterMs: number | null
}

/** Returns the time of the next attempt in milliseconds; null when the schedule is exhausted. */
export function computeNextAttemptMs(
  schedule: readonly number[],
  { attempts, endedAtMs, retryAfterMs }: FailedAttempt,
  random: () => number = Math.random,
): number | null {
  const pauseSeconds = schedule[attempts]
  if (pauseSeconds === undefined) return null
  const pauseMs = pauseSeconds * 1000 * (1 + JITTER * (2 * random() - 1))
  return Math.round(endedAtMs + Math.max(pauseMs, retryAfterMs ?? 0))
}

/** Returns a Retry-After header (seconds or a date) as milliseconds from now; null if it is missing or unreadable. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null
  const text = header.trim()
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : null
}
