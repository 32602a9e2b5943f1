import { setImmediate } from 'node:timers/promises'
import { problem } from '../../../platform/problems/problem.ts'
import { formatNumber } from '../../../platform/values/format.ts'

/**
 * Limits the computation of formulas in one request, and lets other requests run in between. The unit of work is one
 * character of a formula, counted each time the formula is computed.
 */
export class FormulaWorkLimit {
  #left = MAX_CHARACTERS
  #leftOfSlice = CHARACTERS_OF_SLICE

  /**
   * Counts the work for one computation. Must be called before the computation. Throws `too_much_work` if the limit is
   * exceeded.
   */
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

// Enough for the longest takeoff with formulas of 30 characters: 5,000 lines for each of 26 elevations.
const MAX_CHARACTERS = 4_000_000
// Computing this many characters takes about ten milliseconds. Then other requests can run.
const CHARACTERS_OF_SLICE = 10_000
