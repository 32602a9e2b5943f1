import { problem } from '../../../platform/problems/problem.ts'
import { formatNumber } from '../../../platform/values/format.ts'

/**
 * The maximum number of records that one run of a composite skill may read. A builder with a hundred communities has a
 * few thousand vendors and homes, and this limit is several times higher. Reading this many records in pages of 200
 * takes far less than the maximum time. A higher number is a mistake or abuse, and a skill that writes would hold its
 * locks the whole time. If a skill exceeds the limit, it is rejected and its transaction is rolled back.
 */
export const MAX_RECORDS = 20_000
export const MAX_MS = 15_000

export class WorkLimit {
  readonly #skill: string
  readonly #until = performance.now() + MAX_MS
  #records = 0

  constructor(skill: string) {
    this.#skill = skill
  }

  /**
   * Counts records that were read. Call this function before processing the records. Throws `too_much_work` if a limit
   * is exceeded.
   */
  spend(records: number): void {
    this.#records += records
    if (this.#records > MAX_RECORDS)
      throw problem(
        'too_much_work',
        `The skill ${this.#skill} can process at most ${formatNumber(MAX_RECORDS)} records. Narrow its input.`,
      )
    if (performance.now() > this.#until)
      throw problem('too_much_work', `${this.#skill} must finish within ${MAX_MS / 1000} seconds. Narrow its input.`)
  }
}
