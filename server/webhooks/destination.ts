import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'

/**
 * Where a webhook may go. Its address is looked at twice: when it is given, to tell the caller at once, and at every
 * connection, after the name was resolved, because a name can lead somewhere else by then. The connection is made to the
 * very addresses that were looked at. An operator can lift all of this with WEBHOOK_ALLOW_PRIVATE, for tests.
 */
export class DestinationRefused extends Error {}

/** Nothing but a web server listens here; on other ports a request from us could be taken for something else. */
const PORTS = new Set(['', '443', '8443'])

/** Why we would not send to this address, or null. */
export function faultOf(address: string, allowPrivate: boolean): string | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return 'has to be an https address'
  if (url.username !== '' || url.password !== '') return 'must not carry user info'
  if (allowPrivate) return null
  if (url.protocol !== 'https:') return 'has to be an https address'
  if (!PORTS.has(url.port)) return 'has to be on port 443 or 8443'
  const host = hostOf(url)
  // The URL parser has turned decimal, octal and hexadecimal forms into plain addresses by now.
  if (isIP(host) !== 0) return isPublic(host) ? null : 'must not lead to a private or reserved network'
  const name = host.toLowerCase().replace(/\.$/, '')
  if (name === 'localhost' || name.endsWith('.localhost') || !name.includes('.'))
    return 'must not lead to a private network'
  return null
}

/**
 * Whether an address belongs to somebody on the public internet. The library sorts every registered range (loopback,
 * private, link-local, carrier-grade, benchmark, documentation, multicast, 6to4, Teredo, NAT64, v4 in v6, …), and what
 * is in none of them is `unicast`. Of the sixth version only 2000::/3 has been given to anybody at all; that leaves out
 * what the library does not name, such as the old way of writing v4 (::7f00:1).
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST))
}
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

export type Resolve = (name: string) => Promise<string[]>

/** Opens connections for undici, to public addresses only unless `allowPrivate`. */
export function connector(
  allowPrivate: boolean,
  timeoutMs: number,
  resolve: Resolve = resolveByDns,
): buildConnector.connector {
  const options = { allowH2: false, timeout: timeoutMs }
  if (allowPrivate) return buildConnector(options)
  const connect = buildConnector({ ...options, lookup: guarded(resolve) } as buildConnector.BuildOptions)
  return (target, done) => {
    // An address in place of a name is never looked up.
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !isPublic(host)) return done(refusal(host), null)
    connect(target, done)
  }
}

// One private address among public ones is enough to refuse the name: nobody has such a thing by accident.
function guarded(resolve: Resolve): LookupFunction {
  return (name, { all }, done) => {
    resolve(name).then(
      (addresses) => {
        const bad = addresses.find((address) => !isPublic(address))
        const [first] = addresses
        if (bad !== undefined) return done(refusal(bad), '')
        if (first === undefined) return done(new Error(`${name} has no address`), '')
        if (all)
          return done(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          )
        done(null, first, isIP(first))
      },
      (error: Error) => done(error, ''),
    )
  }
}

function refusal(address: string): DestinationRefused {
  return new DestinationRefused(`We do not send to ${address}, which is not a public address.`)
}

/** Two rounds of two seconds: a name server that does not answer costs less than half of an attempt. */
const resolver = new Resolver({ timeout: 2000, tries: 2 })

// Not the system's own look-up: that one runs on the few threads that files are read on as well, and a name server that
// hangs would hold up all of them, and with them every other receiver.
async function resolveByDns(name: string): Promise<string[]> {
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length > 0) return addresses
  const [failure] = found.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []))
  throw failure ?? new Error(`${name} has no address`)
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}
