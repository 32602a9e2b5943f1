import { setImmediate } from 'node:timers/promises'
import { problem } from '../../../platform/problems/problem.ts'
import { formatNumber } from '../../../platform/values/format.ts'

/**
 * Limits the number of formulas that one request computes, and lets other requests run in between. Work is measured in
 * characters of formulas, counted each time that a formula is computed.
 */
export class FormulaWorkLimit {
  #left = MAX_CHARACTERS
  #leftOfSlice = CHARACTERS_OF_SLICE

  /** Counts the work. Call this before each computation. Throws `too_much_work` if the work exceeds the limit. */
  async take(formula: string): Promise<void> {
    this.#left -= formula.length
    if (this.#left < 0) {
      throw problem(
        'too_much_work',
        `The formulas of the takeoff exceed ${formatNumber(MAX_CHARACTERS)} characters, counted once for each plan and ` +
          'elevation. Shorten the formulas, or move their common parts to figures of the plan.',
      )
    }
    this.#leftOfSlice -= formula.length
    if (this.#leftOfSlice > 0) return
    this.#leftOfSlice = CHARACTERS_OF_SLICE
    await setImmediate()
  }
}

// This is enough for the longest takeoff with formulas of 30 characters: 5,000 lines for 26 elevations.
const MAX_CHARACTERS = 4_000_000
// This is about ten milliseconds of work.
const CHARACTERS_OF_SLICE = 10_000
