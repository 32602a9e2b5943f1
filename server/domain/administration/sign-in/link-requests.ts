import type { FailureLog } from '../../../platform/problems/failure-log.ts'
import { Problem } from '../../../platform/problems/problem.ts'

/**
 * A queue of requests for emailed links. Each request is handled after its response is sent, one at a time. If the
 * response waited for the lookup or the email, its timing would reveal whether a user has the address. Requests that are
 * still queued when the process ends are lost; the user can request another link.
 */
export interface LinkRequestQueue {
  /** Queues a request. If too many requests are waiting, throws `unavailable`, regardless of the address. */
  add(email: string): void
  /** Resolves once no request is waiting. */
  stop(): Promise<void>
}

/** This is a few minutes of work and less than a megabyte of addresses. */
const MAX_WAITING = 1000

export function createLinkRequestQueue(
  failures: FailureLog,
  mailLink: (email: string) => Promise<void>,
): LinkRequestQueue {
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  async function handle(email: string): Promise<void> {
    // The response is written by the next turn of the event loop.
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
