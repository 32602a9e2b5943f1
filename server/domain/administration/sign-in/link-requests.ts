import type { FailureLog } from '../../../platform/problems/failure-log.ts'
import { Problem } from '../../../platform/problems/problem.ts'

/**
 * A queue of requests for emailed links. Requests are handled one at a time, each after its response has been sent. If
 * a response waited for the lookup or the email, its timing would reveal whether the address belongs to a user. If the
 * process ends, the requests in the queue are lost, and users can request another link.
 */
export interface LinkRequestQueue {
  /**
   * Adds a request to the queue. Throws `unavailable` if too many requests are waiting, whether or not the address
   * belongs to a user.
   */
  add(email: string): void
  /** Resolves when the queue is empty. */
  stop(): Promise<void>
}

/** A few minutes of work, and less than a megabyte of addresses. */
const MAX_WAITING = 1000

export function createLinkRequestQueue(
  failures: FailureLog,
  mailLink: (email: string) => Promise<void>,
): LinkRequestQueue {
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  async function handle(email: string): Promise<void> {
    // Wait for the next turn of the event loop, in which the response has already been written.
    await new Promise((resolve) => setImmediate(resolve))
    try {
      await mailLink(email)
    } catch (error) {
      failures.report(error, {}, 'a requested link was not mailed')
    } finally {
      waiting--
    }
  }

  return {
    add(email) {
      if (waiting >= MAX_WAITING)
        throw new Problem(
          'unavailable',
          'Too many links are being requested right now. Try again in 10 seconds.',
          {},
          { 'Retry-After': '10' },
        )
      waiting++
      last = last.then(() => handle(email))
    },
    stop: () => last,
  }
}
