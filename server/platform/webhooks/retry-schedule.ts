/**
 * Determines when a failed delivery is retried. The schedule lists the pauses in seconds, starting with the pause
 * before the first attempt. After the last pause there are no further attempts.
 */

/**
 * Jitter: every pause is shorter or longer by up to this fraction, so that deliveries that failed together are not
 * retried together. The fraction is a little less than the 20 % that the contract allows, to leave room for network
 * time.
 */
const JITTER = 0.18

/** A receiver may request a longer wait than the wait in the schedule, but not an unlimited wait. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000

export interface FailedAttempt {
  /** Number of attempts so far, including this one. */
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
