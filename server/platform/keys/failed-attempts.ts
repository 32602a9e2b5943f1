import { networkOf } from '../calls/client-address.ts'
import { Problem } from '../problems/problem.ts'
import type { Clock } from '../runtime/clock.ts'
import { tryAgainIn } from '../values/format.ts'

/**
 * Bounds what requests with wrong keys may cost. A refused secret is remembered for a minute and needs no look-up
 * during that time, and each address has a limited number of failed look-ups a minute, so nobody can keep the database
 * busy by guessing. Keys that were good when last seen skip this, so a program looping with an old key and one with a
 * good key can share an address.
 */
const REMEMBERED_MS = 60_000
const BRIEFLY_MS = 500
const MOST_REMEMBERED = 10_000
const MOST_NETWORKS = 10_000

interface Refused {
  readonly problem: Problem
  readonly until: number
  attempts: number
}

interface Window {
  readonly until: number
  failed: number
}

export class FailedAttempts {
  readonly #most: number
  readonly #clock: Clock
  readonly #refused = new Map<string, Refused>()
  readonly #windows = new Map<string, Window>()

  constructor(most: number, clock: Clock) {
    this.#most = most
    this.#clock = clock
  }

  /** Throws the problem this secret was refused with in the last minute, or `too_many_attempts` if it kept trying. */
  refuseKnown(secret: string): void {
    const refused = this.#refused.get(secret)
    if (refused === undefined) return
    const left = refused.until - this.#clock.nowMs()
    if (left <= 0) {
      this.#refused.delete(secret)
      return
    }
    refused.attempts++
    if (refused.attempts > this.#most) throw tooMany('Too many requests used this invalid key.', left)
    throw refused.problem
  }

  /** Takes one of the address's look-ups, or throws `too_many_attempts`. The returned function gives it back. */
  take(address: string): () => void {
    const network = networkOf(address)
    const now = this.#clock.nowMs()
    let window = this.#windows.get(network)
    if (window === undefined || window.until <= now) {
      if (this.#windows.size >= MOST_NETWORKS) this.#windows.clear()
      window = { until: now + REMEMBERED_MS, failed: 0 }
      this.#windows.set(network, window)
    }
    if (window.failed >= this.#most)
      throw tooMany('Too many requests from your network used invalid keys.', window.until - now)
    window.failed++
    const taken = window
    return () => {
      taken.failed--
    }
  }

  /** Remembers why a secret was refused. The attempt that is refused now counts as the first. */
  remember(secret: string, problem: Problem): void {
    if (this.#refused.size >= MOST_REMEMBERED) this.#refused.clear()
    this.#refused.set(secret, { problem, until: this.#clock.nowMs() + REMEMBERED_MS, attempts: 1 })
  }

  /** Like `remember`, for a valid key refused for a reason that can change any time: briefly, and not counted. */
  rememberBriefly(secret: string, problem: Problem): void {
    if (this.#refused.size >= MOST_REMEMBERED) this.#refused.clear()
    const until = this.#clock.nowMs() + BRIEFLY_MS
    this.#refused.set(secret, { problem, until, attempts: Number.NEGATIVE_INFINITY })
  }
}

function tooMany(cause: string, leftMs: number): Problem {
  const seconds = Math.max(1, Math.ceil(leftMs / 1000))
  const detail = `${cause} ${tryAgainIn(seconds)}`
  return new Problem('too_many_attempts', detail, {}, { 'Retry-After': String(seconds) })
}
