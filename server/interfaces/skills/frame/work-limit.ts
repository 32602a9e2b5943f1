import { problem } from '../../../platform/problems/problem.ts'
import { formatNumber } from '../../../platform/values/format.ts'

/**
 * Limits the cost of one run of a composite skill. A builder with a hundred communities has a few thousand vendors and
 * homes, so this is several times what the skills are designed for, and pages of 200 easily fit the time. Anything
 * beyond is a mistake or a flood, and a skill that writes would hold locks throughout. So it is rejected, and its
 * transaction is rolled back.
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

  /** Call this with the number of records read, before processing them. Throws `too_much_work`. */
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
