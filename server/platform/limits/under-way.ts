import { heldBy, type Principal } from '../calls/call.ts'
import { Problem } from '../problems/problem.ts'

/**
 * Limits how many requests of one key, and of one organization, are in progress in this process. Per-minute limits do
 * not: a minute's requests may all arrive at once, and each holds memory and a place in the database queues until its
 * response. A caller over its limit gets an error at once, which takes two comparisons, because a client that waited
 * here would only hold more.
 *
 * A vendor counts only for itself, so that the holder of a portal link cannot lock out the builder.
 */
export interface UnderWay {
  /** Counts a request. Throws `too_many_concurrent_requests`. Every `begin` needs an `end`, even after an error. */
  begin(principal: Principal): void
  end(principal: Principal): void
}

/** Idle counts to keep, so that a key's next request finds its own. */
const MOST_COUNTS = 20_000

/** A person with a form does one thing at a time. More requests than this are not from a person. */
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
  /** Null if the principal does not count toward the organization. */
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
