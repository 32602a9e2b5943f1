import { lookup, Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'

/**
 * Where a webhook may go. Its address is looked at twice: when it is given, to tell the caller at once, and at every
 * connection, after the name was resolved, because a name can lead somewhere else by then. The connection is made to the
 * very addresses that were looked at. An operator can let it lead to private networks with WEBHOOK_ALLOW_PRIVATE, for
 * tests; what tells a cloud's machines who they are and gives them their credentials stays out of reach even then.
 */
export class DestinationRefused extends Error {}

/** Nothing but a web server listens here; on other ports a request from us could be taken for something else. */
const PORTS = new Set(['', '443', '8443'])

/** Why we would not send to this address, or null. */
export function faultOf(address: string, allowPrivate: boolean): string | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return 'has to be an https address'
  if (url.username !== '' || url.password !== '') return 'must not carry user info'
  const host = hostOf(url)
  if (isMetadata(host)) return "must not lead to a cloud's metadata"
  if (allowPrivate) return null
  if (url.protocol !== 'https:') return 'has to be an https address'
  if (!PORTS.has(url.port)) return 'has to be on port 443 or 8443'
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
  // Azure's is among the addresses of everybody.
  if (isMetadata(address)) return false
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST))
}
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an address leads to what clouds tell their machines, in whatever form it is written. On link-local addresses
 * nothing else is to be found for us, so they are left out as a whole.
 */
export function isMetadata(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  const inside = parsed.kind() === 'ipv6' ? embedded(parsed as ipaddr.IPv6) : null
  return [parsed, inside].some((one) => one !== null && METADATA.some((range) => contains(range, one)))
}

const METADATA = [
  // AWS, Azure, Google, Oracle, OpenStack, DigitalOcean, Tencent; and the credentials of containers at AWS.
  '169.254.0.0/16',
  'fe80::/10',
  // AWS: its instances' metadata, its clock, its names and its containers.
  'fd00:ec2::/32',
  // Google.
  'fd20:ce::254/128',
  // Azure: the agent that hands out certificates and the settings of extensions.
  '168.63.129.16/32',
  // Alibaba, and Oracle's older machines.
  '100.100.100.200/32',
  '192.0.0.192/32',
].map((range) => ipaddr.parseCIDR(range))

type Parsed = ipaddr.IPv4 | ipaddr.IPv6

function contains(range: [Parsed, number], address: Parsed): boolean {
  return range[0].kind() === address.kind() && address.match(range)
}

// An address of the fourth version within one of the sixth: as the last four bytes where it is mapped, written the old way
// or translated (NAT64), and behind the prefix of 6to4.
const BEFORE_V4 = ['::ffff:0:0/96', '::/96', '64:ff9b::/96'].map((range) => ipaddr.IPv6.parseCIDR(range))
const SIX_TO_FOUR = ipaddr.IPv6.parseCIDR('2002::/16')

function embedded(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const bytes = address.toByteArray()
  if (BEFORE_V4.some((range) => address.match(range))) return new ipaddr.IPv4(bytes.slice(12))
  return address.match(SIX_TO_FOUR) ? new ipaddr.IPv4(bytes.slice(2, 6)) : null
}

export type Resolve = (name: string) => Promise<string[]>

/** How connections are opened. */
export interface Connecting {
  timeoutMs: number
  allowPrivate: boolean
  resolve: Resolve | undefined
  /** Hears of the address of every connection, before anything is sent over it. */
  connected(origin: string, address: string): void
}

/** Opens connections for undici, to public addresses only unless `allowPrivate`. */
export function connector({ timeoutMs, allowPrivate, resolve, connected }: Connecting): buildConnector.connector {
  const isAllowed = (address: string) => (allowPrivate ? !isMetadata(address) : isPublic(address))
  const lookup = guarded(resolve ?? (allowPrivate ? resolveBySystem : resolveByDns), isAllowed)
  const connect = buildConnector({ allowH2: false, timeout: timeoutMs, lookup } as buildConnector.BuildOptions)
  return (target, done) => {
    // An address in place of a name is never looked up.
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !isAllowed(host)) return done(refusal(host), null)
    connect(target, (error, socket) => {
      if (error !== null) return done(error, null)
      connected(`${target.protocol}//${target.host}`, socket.remoteAddress ?? '')
      done(null, socket)
    })
  }
}

// One private address among public ones is enough to refuse the name: nobody has such a thing by accident.
function guarded(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (name, { all }, done) => {
    resolve(name).then(
      (addresses) => {
        const bad = addresses.find((address) => !isAllowed(address))
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
  return new DestinationRefused(
    isMetadata(address)
      ? `We do not send to ${address}, where a cloud keeps its metadata.`
      : `We do not send to ${address}, which is not a public address.`,
  )
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

// On the machine of a developer, names of its own lead to receivers too.
async function resolveBySystem(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}
