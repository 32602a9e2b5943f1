import { problem } from '../../../platform/problems/problem.ts'
import { formatNumber } from '../../../platform/values/format.ts'

/**
 * Limits the cost of one run of a composite skill. A builder with a hundred communities has a few thousand vendors and
 * homes. The limit is several times this number. Reading this number of records in pages of 200 easily fits into the
 * time limit. A higher number is a mistake or abuse, and a skill that writes would hold its locks the entire time.
 * Therefore, the skill is rejected, and its transaction is rolled back.
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
   * Adds the number of records that were read. The function must be called before the records are processed. Throws
   * `too_much_work` if a limit is exceeded.
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
