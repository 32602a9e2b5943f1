import { Problem } from '../problems/problem.ts'

/**
 * Gives all builders fair access to a limited resource, such as connections for transactions. Each builder can use only
 * its share of the resource at a time, and its further work waits in its own queue. Therefore, the resource stays
 * available to other builders, however much work one builder sends. Queues have a maximum length and a maximum waiting
 * time. If the wait would be too long, the caller receives an error.
 */
export class TenantSemaphore {
  readonly #bounds: SemaphoreBounds
  readonly #shares = new Map<string, TenantShare>()

  constructor(bounds: SemaphoreBounds) {
    this.#bounds = bounds
  }

  /**
   * Calls `work` when it is the organization's turn. Throws `too_many_concurrent_requests` if the wait takes too long.
   */
  async run<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    const end = await this.begin(organizationId)
    try {
      return await work()
    } finally {
      end()
    }
  }

  /**
   * Waits for the organization's turn, and returns a function that ends the turn, which must be called exactly once.
   * Throws `too_many_concurrent_requests` if the wait takes too long.
   */
  async begin(organizationId: string): Promise<() => void> {
    let share = this.#shares.get(organizationId)
    if (share === undefined) {
      share = { taken: 0, waiting: [] }
      this.#shares.set(organizationId, share)
    }
    const { waiting } = share
    if (share.taken < this.#bounds.most) share.taken++
    else await this.#turn(share)
    return () => {
      const next = waiting.shift()
      // The turn passes directly to the next waiting task, so that new work cannot overtake it.
      if (next !== undefined) next()
      else if (--share.taken === 0) this.#shares.delete(organizationId)
    }
  }

  /** The number of waiting tasks. */
  get waiting(): number {
    let sum = 0
    for (const share of this.#shares.values()) sum += share.waiting.length
    return sum
  }

  #turn({ waiting }: TenantShare): Promise<void> {
    const { mostWaiting, waitMs } = this.#bounds
    if (waiting.length >= mostWaiting) throw tooManyWaiting(this.#bounds)
    return new Promise((begin, refuse) => {
      const turn = () => {
        clearTimeout(patience)
        begin()
      }
      const patience = setTimeout(() => {
        waiting.splice(waiting.indexOf(turn), 1)
        refuse(tooManyWaiting(this.#bounds))
      }, waitMs)
      waiting.push(turn)
    })
  }
}

export interface SemaphoreBounds {
  /** The name of the resource for the error message, in the plural. */
  of: string
  /** The maximum number of turns that an organization can have at a time. */
  most: number
  mostWaiting: number
  waitMs: number
}

interface TenantShare {
  taken: number
  waiting: (() => void)[]
}

function tooManyWaiting({ of, most }: SemaphoreBounds): Problem {
  return new Problem(
    'too_many_concurrent_requests',
    `Your organization has too many ${of} waiting; at most ${most} can run at the same time. Try again in 1 second.`,
    {},
    { 'Retry-After': '1' },
  )
}
