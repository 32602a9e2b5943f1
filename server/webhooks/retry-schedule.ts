/**
 * When a failed delivery is tried again. The schedule lists the pauses in seconds, the first one before the first attempt;
 * after the last there is no further attempt.
 */

/**
 * Deliveries that failed together do not come back together: every pause is up to this much shorter or longer. It is a
 * little less than the fifth that the contract allows, so that the time on the wire does not carry it beyond.
 */
const JITTER = 0.18

/** A receiver may ask for more patience than the schedule has, but not for ever. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000

export interface Failure {
  /** How many attempts of the schedule have been made, this one included. */
  attempts: number
  endedAtMs: number
  retryAfterMs: number | null
}

/** The time of the next attempt, or null when the schedule has come to its end. */
export function nextAttemptAtMs(
  schedule: readonly number[],
  { attempts, endedAtMs, retryAfterMs }: Failure,
  random: () => number = Math.random,
): number | null {
  const pauseSeconds = schedule[attempts]
  if (pauseSeconds === undefined) return null
  const pauseMs = pauseSeconds * 1000 * (1 + JITTER * (2 * random() - 1))
  return Math.round(endedAtMs + Math.max(pauseMs, retryAfterMs ?? 0))
}

/** A Retry-After header, in seconds or as a date, as milliseconds from now; null when there is none that can be read. */
export function readRetryAfter(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null
  const text = header.trim()
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, LONGEST_RETRY_AFTER_MS) : null
}
