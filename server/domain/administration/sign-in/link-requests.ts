import type { FailureLog } from '../../../platform/problems/failure-log.ts'
import { Problem } from '../../../platform/problems/problem.ts'

/**
 * Requests for sign-in links, handled after each was answered and one after the other. A response that waited for the
 * look-up or the mail would tell by its time whether somebody has the address. A request that the process does not live
 * to handle is lost; its reader asks for another link.
 */
export interface LinkRequests {
  /** Throws `unavailable`, whoever has the address, if too many requests wait. */
  add(email: string): void
  /** Resolves once no request waits. */
  stop(): Promise<void>
}

/** Some minutes of work, and less than a megabyte of addresses. */
const MOST_WAITING = 1000

export function handleLinkRequests(failures: FailureLog, mailLink: (email: string) => Promise<void>): LinkRequests {
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  async function handle(email: string): Promise<void> {
    // By then the response has been written.
    await new Promise((resolve) => setImmediate(resolve))
    try {
      await mailLink(email)
    } catch (error) {
      failures.report(error, {}, 'a sign-in link was not mailed')
    } finally {
      waiting--
    }
  }

  return {
    add(email) {
      if (waiting >= MOST_WAITING)
        throw new Problem(
          'unavailable',
          'Too many sign-in links are being requested right now. Try again in 10 seconds.',
          {},
          { 'Retry-After': '10' },
        )
      waiting++
      last = last.then(() => handle(email))
    },
    stop: () => last,
  }
}
