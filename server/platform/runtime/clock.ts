/** The only source of time. In production, it is the machine's clock. Tests advance this clock instead of waiting. */
export class Clock {
  #aheadMs = 0

  now(): Date {
    return new Date(Date.now() + this.#aheadMs)
  }

  nowMs(): number {
    return Date.now() + this.#aheadMs
  }

  /**
   * The time by which this clock is ahead of the machine's clock, in milliseconds, for statements that use the
   * database's own time.
   */
  get aheadMs(): number {
    return this.#aheadMs
  }

  advance(ms: number): void {
    this.#aheadMs += ms
  }
}
