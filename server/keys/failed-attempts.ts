import type { Clock } from '../clock.ts'
import { networkOf } from '../http/client-address.ts'
import { Problem } from '../http/problem.ts'

/**
 * What a request with a wrong key may cost. A secret that was refused is remembered for a minute and needs no look-up in
 * that time; and an address has only so many look-ups a minute that find nothing, so that nobody keeps the database busy
 * by trying. Keys that were good when they were last seen do not come here, so a program with an old key in a loop and one
 * with a good key can share an address.
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

  /** Throws what the secret was refused with in this minute, or `too_many_attempts` where that did not stop it. */
  refuseKnown(secret: string): void {
    const refused = this.#refused.get(secret)
    if (refused === undefined) return
    const left = refused.until - this.#clock.nowMs()
    if (left <= 0) {
      this.#refused.delete(secret)
      return
    }
    refused.attempts++
    if (refused.attempts > this.#most) throw tooMany('This key was refused each time.', left)
    throw refused.problem
  }

  /** Takes one look-up of the address, or throws `too_many_attempts`. What it answers gives the look-up back. */
  take(address: string): () => void {
    const network = networkOf(address)
    const now = this.#clock.nowMs()
    let window = this.#windows.get(network)
    if (window === undefined || window.until <= now) {
      if (this.#windows.size >= MOST_NETWORKS) this.#windows.clear()
      window = { until: now + REMEMBERED_MS, failed: 0 }
      this.#windows.set(network, window)
    }
    if (window.failed >= this.#most) throw tooMany('Too many keys from this address were refused.', window.until - now)
    window.failed++
    const taken = window
    return () => {
      taken.failed--
    }
  }

  /** Remembers what a secret was refused with; the attempt that is answered with it is the first one. */
  remember(secret: string, problem: Problem): void {
    if (this.#refused.size >= MOST_REMEMBERED) this.#refused.clear()
    this.#refused.set(secret, { problem, until: this.#clock.nowMs() + REMEMBERED_MS, attempts: 1 })
  }

  /** The same of a good key that is refused for something that can change at any time: not for long, and not counted. */
  rememberBriefly(secret: string, problem: Problem): void {
    if (this.#refused.size >= MOST_REMEMBERED) this.#refused.clear()
    const until = this.#clock.nowMs() + BRIEFLY_MS
    this.#refused.set(secret, { problem, until, attempts: Number.NEGATIVE_INFINITY })
  }
}

function tooMany(detail: string, leftMs: number): Problem {
  return new Problem('too_many_attempts', detail, {}, { 'Retry-After': String(Math.max(1, Math.ceil(leftMs / 1000))) })
}
