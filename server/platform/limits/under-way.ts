import { heldBy, type Principal } from '../calls/call.ts'
import { Problem } from '../problems/problem.ts'

/**
 * Limits how many requests of one key, and of one organization, are in progress in this process. Per-minute limits do
 * not bound that: a minute's requests may all come at once, and each holds memory and a place in the database queues
 * until it is answered. A caller over its limit is refused at once, which costs two comparisons, because a client that
 * waited here would only hold more.
 *
 * A vendor counts only for itself: someone with a portal address must not be able to lock the builder out.
 */
export interface UnderWay {
  /** Counts a request in, or throws `too_many_concurrent_requests`. Every `begin` needs an `end`, whatever happens. */
  begin(principal: Principal): void
  end(principal: Principal): void
}

/** Idle counts that are kept, so that a key's next request finds its own. */
const MOST_COUNTS = 20_000

/** A person at a form does one thing at a time; more than this at once is not a person. */
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

  // A principal is loaded twice a second and used thousands of times in between, so its counts are cached with it.
  const ofPrincipal = new WeakMap<Principal, Counts>()
  function countsOf(principal: Principal): Counts {
    let found = ofPrincipal.get(principal)
    if (found === undefined) {
      const { kind, organization } = principal
      const isVendor = kind === 'vendor'
      found = {
        own: count(`${heldBy(principal)}`),
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
  /** Null if the principal does not count towards the organization. */
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
    `The limit for one ${of} is ${most} concurrent requests. Wait for a response before you send the next request.`,
    {},
    { 'Retry-After': '1' },
  )
}
