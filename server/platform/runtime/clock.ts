/** The only source of time. Normally it is the machine's clock. A test advances it instead of waiting. */
export class Clock {
  #aheadMs = 0

  now(): Date {
    return new Date(Date.now() + this.#aheadMs)
  }

  nowMs(): number {
    return Date.now() + this.#aheadMs
  }

  /** How far this clock is ahead of the machine's in milliseconds, for statements that use the database's own time. */
  get aheadMs(): number {
    return this.#aheadMs
  }

  advance(ms: number): void {
    this.#aheadMs += ms
  }
}
