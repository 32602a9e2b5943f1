import { problem } from '../http/problem.ts'

/**
 * What one run of a composite skill may cost. A builder with a hundred communities has a few thousand vendors and homes,
 * so these records are several times what the skills are made for, and pages of 200 of them come within the time with
 * room to spare. What needs more is a mistake or a flood, and in a skill that writes it would hold locks meanwhile: it is
 * refused, and with its transaction nothing of it remains.
 */
const MOST_RECORDS = 20_000
const MOST_MS = 15_000

export class Effort {
  readonly #skill: string
  readonly #until = performance.now() + MOST_MS
  #records = 0

  constructor(skill: string) {
    this.#skill = skill
  }

  /** To be called with what was read, before anything is done with it; throws `too_much_work`. */
  spend(records: number): void {
    this.#records += records
    if (this.#records > MOST_RECORDS)
      throw problem(
        'too_much_work',
        `${this.#skill} goes through ${MOST_RECORDS} records at the most. Narrow its input.`,
      )
    if (performance.now() > this.#until)
      throw problem('too_much_work', `${this.#skill} takes ${MOST_MS / 1000} seconds at the most. Narrow its input.`)
  }
}
