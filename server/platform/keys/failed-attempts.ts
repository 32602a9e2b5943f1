import { getNetwork } from '../calls/client-address.ts'
import { Problem } from '../problems/problem.ts'
import type { Clock } from '../runtime/clock.ts'
import { formatRetryAdvice } from '../values/format.ts'

/**
 * Limits the cost of requests with invalid keys. A rejected secret is remembered for a minute, during which it is not
 * looked up again. Each address can cause only a limited number of failed lookups per minute, so that guessing keys
 * cannot overload the database. Keys that were valid at their last use are exempt. Therefore, a program with a valid
 * key still works if a program at the same address repeats an old key.
 */
const REMEMBERED_MS = 60_000
const SHORT_MEMORY_MS = 500
const MAX_REMEMBERED_SECRETS = 10_000
const MAX_NETWORKS = 10_000

interface RefusedSecret {
  readonly problem: Problem
  readonly until: number
  attempts: number
}

interface AttemptWindow {
  readonly until: number
  failed: number
}

export class FailedAttempts {
  readonly #most: number
  readonly #clock: Clock
  readonly #refused = new Map<string, RefusedSecret>()
  readonly #windows = new Map<string, AttemptWindow>()

  constructor(max: number, clock: Clock) {
    this.#most = max
    this.#clock = clock
  }

  /**
   * If this secret was rejected in the last minute, throws the same problem, or `too_many_attempts` if it was repeated
   * too often.
   */
  refuseKnown(secret: string): void {
    const refused = this.#refused.get(secret)
    if (refused === undefined) return
    const left = refused.until - this.#clock.nowMs()
    if (left <= 0) {
      this.#refused.delete(secret)
      return
    }
    refused.attempts++
    if (refused.attempts > this.#most) throw tooManyAttempts('Too many requests used this invalid key.', left)
    throw refused.problem
  }

  /**
   * Uses one lookup of this address. Throws `too_many_attempts` if none is left. Returns a function that gives the
   * lookup back.
   */
  take(address: string): () => void {
    const network = getNetwork(address)
    const now = this.#clock.nowMs()
    let window = this.#windows.get(network)
    if (window === undefined || window.until <= now) {
      if (this.#windows.size >= MAX_NETWORKS) this.#windows.clear()
      window = { until: now + REMEMBERED_MS, failed: 0 }
      this.#windows.set(network, window)
    }
    if (window.failed >= this.#most)
      throw tooManyAttempts('Too many requests from your network used invalid keys.', window.until - now)
    window.failed++
    const taken = window
    return () => {
      taken.failed--
    }
  }

  /** Stores the problem with which a secret was rejected. This counts as the first attempt. */
  remember(secret: string, problem: Problem): void {
    if (this.#refused.size >= MAX_REMEMBERED_SECRETS) this.#refused.clear()
    this.#refused.set(secret, { problem, until: this.#clock.nowMs() + REMEMBERED_MS, attempts: 1 })
  }

  /**
   * Like `remember`, but for a valid key that is rejected for a reason that can change at any time. The problem is
   * stored only briefly, and attempts are not counted.
   */
  rememberBriefly(secret: string, problem: Problem): void {
    if (this.#refused.size >= MAX_REMEMBERED_SECRETS) this.#refused.clear()
    const until = this.#clock.nowMs() + SHORT_MEMORY_MS
    this.#refused.set(secret, { problem, until, attempts: Number.NEGATIVE_INFINITY })
  }
}

function tooManyAttempts(cause: string, leftMs: number): Problem {
  const seconds = Math.max(1, Math.ceil(leftMs / 1000))
  const detail = `${cause} ${formatRetryAdvice(seconds)}`
  return new Problem('too_many_attempts', detail, {}, { 'Retry-After': String(seconds) })
}
