import { getCredentialId, type Principal } from '../calls/call.ts'
import { Problem } from '../problems/problem.ts'

/**
 * Limits the number of concurrent requests in this process, per key and per organization. Per-minute limits do not
 * limit concurrency. All requests of a minute may arrive at the same time. Each request holds memory and a place in the
 * database queues until it has a response. A caller over its limit immediately gets an error, which costs two
 * comparisons. A client that waited here would only use more resources.
 *
 * A vendor counts only toward its own limit, so that the holder of a portal link cannot lock out the builder.
 */
export interface ConcurrencyLimits {
  /**
   * Counts a request. Throws `too_many_concurrent_requests` if a limit is exceeded. Every call of `begin` needs a call
   * of `end`, even after an error.
   */
  begin(principal: Principal): void
  end(principal: Principal): void
}

/** Number of idle counts to keep, so that the next request of a key finds its own counts. */
const MAX_COUNTS = 20_000

/** A user who uses a form does one thing at a time. More concurrent requests than this come from a program. */
const MAX_PER_VENDOR = 10

export function createConcurrencyLimits(config: {
  concurrencyPerKey: number
  concurrencyPerOrganization: number
}): ConcurrencyLimits {
  const counts = new Map<string, RequestCount>()

  function count(of: string): RequestCount {
    let found = counts.get(of)
    if (found === undefined) {
      if (counts.size >= MAX_COUNTS) deleteIdleCounts(counts)
      found = { now: 0 }
      counts.set(of, found)
    }
    return found
  }

  // A principal is loaded twice a second and used thousands of times in between, so its counts are cached with the
  // principal.
  const ofPrincipal = new WeakMap<Principal, CallerCounts>()
  function countsOf(principal: Principal): CallerCounts {
    let found = ofPrincipal.get(principal)
    if (found === undefined) {
      const { kind, organization } = principal
      const isVendor = kind === 'vendor'
      found = {
        own: count(`${getCredentialId(principal)}`),
        most: isVendor ? Math.min(MAX_PER_VENDOR, config.concurrencyPerKey) : config.concurrencyPerKey,
        organization: isVendor ? null : count(organization.id),
      }
      ofPrincipal.set(principal, found)
    }
    return found
  }

  return {
    begin(principal) {
      const { own, most, organization } = countsOf(principal)
      if (own.now >= most) throw tooManyConcurrentRequests(most, principal.kind)
      if (organization !== null) {
        if (organization.now >= config.concurrencyPerOrganization)
          throw tooManyConcurrentRequests(config.concurrencyPerOrganization, 'organization')
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

interface CallerCounts {
  own: RequestCount
  most: number
  /** Null if the principal does not count toward the organization. */
  organization: RequestCount | null
}

interface RequestCount {
  now: number
}

function deleteIdleCounts(counts: Map<string, RequestCount>): void {
  for (const [of, { now }] of counts) if (now === 0) counts.delete(of)
}

function tooManyConcurrentRequests(max: number, of: string): Problem {
  return new Problem(
    'too_many_concurrent_requests',
    `The limit for one ${of} is ${max} concurrent requests. Wait for a response before you send the next request.`,
    {},
    { 'Retry-After': '1' },
  )
}
