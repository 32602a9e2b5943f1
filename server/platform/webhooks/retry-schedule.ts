/**
 * Computes the time of the next attempt after a failed attempt. The schedule contains the delays in seconds, starting
 * with the delay before the first attempt. After the last delay, there are no more attempts.
 */

/**
 * The maximum fraction by which a delay is randomly shortened or extended, so that deliveries that failed together are
 * not retried together. The fraction is a little below the 20% that the API contract allows, to leave time for the
 * network.
 */
const JITTER = 0.18

/** The maximum wait that a receiver can request with Retry-After. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000

export interface FailedAttempt {
  /** The number of attempts so far, including the failed one. */
  attempts: number
  endedAtMs: number
  retryAfterMs: number | null
}

/** Returns the time of the next attempt in milliseconds; null if there are no more attempts. */
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

/**
 * Returns the wait in milliseconds that a Retry-After header requests (in seconds or as a date); null if the header is
 * missing or invalid.
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null
  const text = header.trim()
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : null
}
