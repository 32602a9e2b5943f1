import { type LookupAddress, promises } from 'node:dns'
import type { Resolver } from 'node:dns/promises'

/** Returns the addresses of a name. Rejects if it has none. */
export type Resolve = (name: string) => Promise<string[]>

/**
 * Two rounds of about two seconds each, so that a name server that does not respond takes less than half of an attempt.
 */
const resolver = new promises.Resolver({ timeout: 2000, maxTimeout: 2000, tries: 2 })

/** As long as a delivery waits. Nobody waits for a later lookup. */
const WAIT_MS = 10_000

/** Far more receivers than any private network has. */
const MAX_NAMES = 1000

// Not the system's own lookup: it shares a small thread pool with file reads, of which only two threads look up names,
// including the database's. Names whose servers do not respond would block both for minutes.
export const resolveWithDns = createDnsResolver(resolver)

/**
 * On a private network, receivers may have names that only the system knows, from its hosts file or with its search
 * domain.
 */
export const resolveOnPrivateNetwork = createPrivateResolver(resolver, async (name) =>
  (await promises.lookup(name, { all: true })).map(lookupAddress),
)

function createDnsResolver(resolver: Resolver): Resolve {
  return async (name) => {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses
    const [failure] = found.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []))
    throw failure ?? new Error(`The host name ${name} has no IP address.`)
  }
}

/**
 * Returns a resolver that uses the system after DNS. The system is not asked for a name whose servers do not respond,
 * because it would wait far longer. Names without a domain are not looked up in DNS.
 */
export function createPrivateResolver(resolver: Resolver, system: Resolve): Resolve {
  const dns = createDnsResolver(resolver)
  const bySystem = limitLookups(system)
  return async (name) => {
    if (name.includes('.')) {
      await dns(name).catch((error: { code?: unknown }) => {
        if (error.code === TIMEOUT_CODE) throw error
      })
    }
    return bySystem(name)
  }
}

const TIMEOUT_CODE = 'ETIMEOUT'

/**
 * Returns a resolver that looks up one name at a time, so that other lookups find a free thread, and each only once for
 * all callers.
 */
function limitLookups(resolve: Resolve): Resolve {
  const requested = new Map<string, Promise<string[]>>()
  let before: Promise<unknown> = Promise.resolve()
  return (name) => {
    const known = requested.get(name)
    if (known !== undefined) return known
    if (requested.size >= MAX_NAMES)
      return Promise.reject(new Error(`The host name ${name} was not looked up, because too many others are waiting.`))
    const sinceMs = performance.now()
    const answer = before
      .then(() => {
        if (performance.now() - sinceMs > WAIT_MS) throw new Error(`The host name ${name} was not looked up in time.`)
        return resolve(name)
      })
      .finally(() => requested.delete(name))
    requested.set(name, answer)
    before = answer.catch(() => {})
    return answer
  }
}

function lookupAddress({ address }: LookupAddress): string {
  return address
}
