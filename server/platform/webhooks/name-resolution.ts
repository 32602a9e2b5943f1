import { type LookupAddress, promises } from 'node:dns'
import type { Resolver } from 'node:dns/promises'

/** Returns the IP addresses of a host name. Rejects if the name has no addresses. */
export type Resolve = (name: string) => Promise<string[]>

/**
 * Makes two tries of about two seconds each. If a name server does not respond, the lookup takes less than half of the
 * time of an attempt.
 */
const resolver = new promises.Resolver({ timeout: 2000, maxTimeout: 2000, tries: 2 })

/** The maximum time in milliseconds for which a delivery waits for a lookup. */
const WAIT_MS = 10_000

/** The maximum number of concurrent lookups of the system. A private network has far fewer receivers. */
const MAX_NAMES = 1000

// Does not use the lookup of the operating system, because it shares a small thread pool with file reads. Only two of
// the threads look up names, including the name of the database server. Names whose servers do not respond would block
// lookups and file reads for minutes.
export const resolveWithDns = createDnsResolver(resolver)

/**
 * In a private network, receivers can have names that only the operating system can resolve, for example with its hosts
 * file or search domain.
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
 * Returns a resolver that uses DNS first, and then the operating system. If the name servers do not respond, the
 * resolver does not use the operating system, which would wait far longer. Names without a domain are not looked up in
 * DNS.
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
 * Returns a resolver that looks up only one name at a time, so that other lookups find a free thread. Concurrent calls
 * with the same name share one lookup.
 */
function limitLookups(resolve: Resolve): Resolve {
  const requested = new Map<string, Promise<string[]>>()
  let before: Promise<unknown> = Promise.resolve()
  return (name) => {
    const known = requested.get(name)
    if (known !== undefined) return known
    if (requested.size >= MAX_NAMES)
      return Promise.reject(
        new Error(`The host name ${name} was not looked up, because too many other lookups are waiting.`),
      )
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
