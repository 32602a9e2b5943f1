/**
 * From where on to read a queue of rows that leave it in about the order in which they came, such as the events that are
 * not dispatched yet.
 *
 * What has left a queue stays in its index for as long as any transaction could still see it, and a backup sees all of
 * the database for as long as it takes. Whoever reads from the beginning goes through all of that each time. So it is
 * read from the place up to which everything had left some seconds ago.
 *
 * A row gets its place when it is written and appears when it is committed, so one may yet appear behind that place.
 * That is why the queue is read from its beginning as well, after a pause (`pauseAfter`).
 */
export class QueueFront {
  #settled = BEGINNING
  /** Up to where everything had left at that time; becomes settled when it is old enough. */
  #reached: { place: number; atMs: number } | null = null
  #wholeAtMs = 0

  /** After which place to read now. */
  after(nowMs: number): number {
    return nowMs >= this.#wholeAtMs ? BEGINNING : this.#settled
  }

  /** Notes what reading has shown. */
  read({ after, first, upTo, fromMs, toMs }: Reading): void {
    if (after === BEGINNING) {
      this.#wholeAtMs = toMs + pauseAfter(toMs - fromMs)
      // Others may follow it, as after a failover, by which places may be given that are lower than what was lost.
      if (first !== null && first <= this.#settled) this.#forget()
    }
    if (upTo === null) return
    if (this.#reached !== null && toMs - this.#reached.atMs < SETTLES_AFTER_MS) return
    if (this.#reached !== null) this.#settled = this.#reached.place
    this.#reached = { place: upTo, atMs: toMs }
  }

  #forget(): void {
    this.#settled = BEGINNING
    this.#reached = null
  }
}

export interface Reading {
  /** After which place it was read. */
  after: number
  /** The first place that was found; null if none was. */
  first: number | null
  /** Up to which place all that was found has left; null if nothing has. */
  upTo: number | null
  /** When reading began and ended, in ms of the process. */
  fromMs: number
  toMs: number
}

/** Places are counted from 1. */
const BEGINNING = 0

/** Almost all transactions commit within this time after they have written to a queue. */
const SETTLES_AFTER_MS = 2000

/**
 * How long to wait with reading all of a queue again, in ms, if it took so long: it may take a twentieth of the time, but
 * what a process that died had taken is to be found within seconds.
 */
export function pauseAfter(tookMs: number): number {
  return Math.min(5000, Math.max(1000, tookMs * 20))
}
