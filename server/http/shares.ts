import { Problem } from './problem.ts'

/**
 * Turns at something that all builders need and there is little of, such as the connections for transactions. A builder
 * has no more than its share of it at a time; its further work waits in a queue of its own, so that however much one
 * builder sends, another one finds the rest free. A queue is bounded in length and in time: who would wait for longer is
 * better told to come back.
 */
export class Shares {
  readonly #bounds: ShareBounds
  readonly #shares = new Map<string, Share>()

  constructor(bounds: ShareBounds) {
    this.#bounds = bounds
  }

  /** Runs the work when it is its organization's turn; throws `too_many_concurrent_requests` where that is too far off. */
  async run<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    let share = this.#shares.get(organizationId)
    if (share === undefined) {
      share = { taken: 0, waiting: [] }
      this.#shares.set(organizationId, share)
    }
    if (share.taken < this.#bounds.most) share.taken++
    else await this.#turn(share)
    try {
      return await work()
    } finally {
      const next = share.waiting.shift()
      // Whoever is next goes on with what is given back here, so nobody who comes meanwhile is faster.
      if (next !== undefined) next()
      else if (--share.taken === 0) this.#shares.delete(organizationId)
    }
  }

  /** How much work waits for its turn. */
  get waiting(): number {
    let sum = 0
    for (const share of this.#shares.values()) sum += share.waiting.length
    return sum
  }

  #turn({ waiting }: Share): Promise<void> {
    const { mostWaiting, waitMs } = this.#bounds
    if (waiting.length >= mostWaiting) throw tooMany(this.#bounds)
    return new Promise((begin, refuse) => {
      const turn = () => {
        clearTimeout(patience)
        begin()
      }
      const patience = setTimeout(() => {
        waiting.splice(waiting.indexOf(turn), 1)
        refuse(tooMany(this.#bounds))
      }, waitMs)
      waiting.push(turn)
    })
  }
}

export interface ShareBounds {
  /** What is shared, in the plural, for those who are refused. */
  of: string
  /** How much of it one organization has at a time. */
  most: number
  mostWaiting: number
  waitMs: number
}

interface Share {
  taken: number
  waiting: (() => void)[]
}

function tooMany({ of, most }: ShareBounds): Problem {
  return new Problem(
    'too_many_concurrent_requests',
    `One organization has no more than ${most} ${of} at the same time, and too many of its requests wait for one.`,
    {},
    { 'Retry-After': '1' },
  )
}
