import type { Principal } from './call.ts'
import { Problem } from './problem.ts'

/**
 * How many requests of one key, and of one organization, are under way in this process. Limits by the minute do not
 * bound that: a minute's requests may come at once, and each holds memory and a place in the queues of the database
 * until it is answered. Who sends more than it may is refused at once, at the cost of two comparisons, because a client
 * that waits here would only hold more.
 *
 * A vendor is counted for itself alone: whoever has an address of the portal must not be able to keep the builder out.
 */
export interface UnderWay {
  /** Counts a request in, or throws `too_many_concurrent_requests`. It is to be counted out again, come what may. */
  begin(principal: Principal): void
  end(principal: Principal): void
}

/** Counts at rest that are kept, so that a key's next request finds its own. */
const MOST_COUNTS = 20_000

/** Somebody at a form does one thing at a time; what comes at once beyond that is no person's doing. */
const MOST_OF_VENDOR = 10

export function underWay(config: { concurrencyPerKey: number; concurrencyPerOrganization: number }): UnderWay {
  const counts = new Map<string, Count>()

  function count(of: string): Count {
    let found = counts.get(of)
    if (found === undefined) {
      if (counts.size >= MOST_COUNTS) forgetIdle(counts)
      found = { now: 0 }
      counts.set(of, found)
    }
    return found
  }

  // A principal is found anew twice a second and used thousands of times in between; its counts are remembered with it.
  const ofPrincipal = new WeakMap<Principal, Counts>()
  function countsOf(principal: Principal): Counts {
    let found = ofPrincipal.get(principal)
    if (found === undefined) {
      const { kind, id, organization } = principal
      const isVendor = kind === 'vendor'
      found = {
        own: count(`${id}`),
        most: isVendor ? Math.min(MOST_OF_VENDOR, config.concurrencyPerKey) : config.concurrencyPerKey,
        organization: isVendor ? null : count(organization.id),
      }
      ofPrincipal.set(principal, found)
    }
    return found
  }

  return {
    begin(principal) {
      const { own, most, organization } = countsOf(principal)
      if (own.now >= most) throw tooMany(most, principal.kind)
      if (organization !== null) {
        if (organization.now >= config.concurrencyPerOrganization)
          throw tooMany(config.concurrencyPerOrganization, 'organization')
        organization.now++
      }
      own.now++
    },

    end(principal) {
      const { own, organization } = countsOf(principal)
      own.now--
      if (organization !== null) organization.now--
    },
  }
}

interface Counts {
  own: Count
  most: number
  /** Null for whoever does not count among the organization's own. */
  organization: Count | null
}

interface Count {
  now: number
}

function forgetIdle(counts: Map<string, Count>): void {
  for (const [of, { now }] of counts) if (now === 0) counts.delete(of)
}

function tooMany(most: number, of: string): Problem {
  return new Problem(
    'too_many_concurrent_requests',
    `No more than ${most} requests of one ${of} are answered at the same time.`,
    {},
    { 'Retry-After': '1' },
  )
}
