import fc from 'fast-check'

/** A source of random integers. All other random values are derived from them. */
export abstract class Random {
  /** Returns an evenly distributed integer from `min` to `max`, including both. */
  abstract between(min: number, max: number): number

  /** Returns a number from 0 up to but not including 1. */
  next(): number {
    return this.between(0, 2 ** 32 - 1) / 2 ** 32
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(values: readonly [T, ...T[]] | readonly T[]): T {
    const value = values[this.between(0, values.length - 1)]
    if (value === undefined) throw new Error('Expected at least one value to pick from.')
    return value
  }
}

/** A source whose numbers are determined by a seed (mulberry32), so that failures can be reproduced. */
export class SeededRandom extends Random {
  #state: number

  constructor(seed: number) {
    super()
    this.#state = seed >>> 0
  }

  override between(min: number, max: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return min + Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * (max - min + 1))
  }
}

/**
 * A source whose numbers come from fast-check, which can repeat a run with its seed and reduce a failure to the
 * smallest values that cause it.
 */
export class DrawnRandom extends Random {
  readonly #draw: fc.GeneratorValue

  constructor(draw: fc.GeneratorValue) {
    super()
    this.#draw = draw
  }

  override between(min: number, max: number): number {
    return this.#draw(evenIntegers, min, max)
  }
}

// Returns evenly distributed integers. By default, fast-check prefers values near the bounds, which would make rare
// choices frequent.
function evenIntegers(min: number, max: number): fc.Arbitrary<number> {
  return fc.noBias(fc.integer({ min: min, max: max }))
}
