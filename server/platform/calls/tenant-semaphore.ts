import { Problem } from '../problems/problem.ts'

/**
 * Gives all builders fair access to a scarce resource, such as the connections for transactions. Each builder uses at
 * most its share at a time. Further work waits in the builder's own queue. The resource therefore stays available to
 * other builders, regardless of how much work one builder sends. Queues are limited in length and time: a caller that
 * would wait too long gets an error.
 */
export class TenantSemaphore {
  readonly #bounds: SemaphoreBounds
  readonly #shares = new Map<string, TenantShare>()

  constructor(bounds: SemaphoreBounds) {
    this.#bounds = bounds
  }

  /**
   * Runs the work when it is its organization's turn. Throws `too_many_concurrent_requests` if the wait takes too long.
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
   * Waits for the organization's turn and returns a function that ends the turn. The caller must call that function
   * exactly once. Throws `too_many_concurrent_requests` if the wait takes too long.
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
      // The slot passes directly to the next task in the queue, so that new work cannot overtake that task.
      if (next !== undefined) next()
      else if (--share.taken === 0) this.#shares.delete(organizationId)
    }
  }

  /** Number of waiting tasks. */
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
  /** Name of the shared resource, in the plural, for the error message. */
  of: string
  /** Maximum number of turns that an organization holds at a time. */
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
