/**
 * The only source of the current time. In production, this is the clock of the machine. Tests advance this clock
 * instead of waiting.
 */
export class Clock {
  #aheadMs = 0

  now(): Date {
    return new Date(Date.now() + this.#aheadMs)
  }

  nowMs(): number {
    return Date.now() + this.#aheadMs
  }

  /**
   * The time in milliseconds by which this clock is ahead of that of the machine, for statements that use the clock of
   * the database.
   */
  get aheadMs(): number {
    return this.#aheadMs
  }

  advance(ms: number): void {
    this.#aheadMs += ms
  }
}
