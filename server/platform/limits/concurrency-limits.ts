import { getCredentialId, type Principal } from '../calls/call.ts'
import { Problem } from '../problems/problem.ts'

/**
 * Limits the number of concurrent requests of each key and organization in this process. Limits per minute do not limit
 * concurrency, because all requests of a minute can arrive at the same time. Until it has a response, each request uses
 * memory and a place in the queues of the database. A caller over its limit immediately receives an error, which costs
 * only two comparisons. If it waited, it would use more resources.
 *
 * Requests of a vendor count only toward the vendor's own limit, so that the holder of a portal link cannot block the
 * builder.
 */
export interface ConcurrencyLimits {
  /**
   * Counts a request. Throws `too_many_concurrent_requests` if a limit is exceeded. Each call of `begin` must be
   * followed by a call of `end`, even if `begin` throws.
   */
  begin(principal: Principal): void
  end(principal: Principal): void
}

/** The number of idle counts that are kept, so that the next request of a key can use the same counts. */
const MAX_COUNTS = 20_000

/**
 * The maximum number of concurrent requests of a vendor. A person who uses a form sends only a few, and more come from
 * a program.
 */
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

  // The counts are cached with the principal, which is loaded twice per second and used thousands of times in between.
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
  /** The count of the organization; null if the principal's requests do not count toward it. */
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
