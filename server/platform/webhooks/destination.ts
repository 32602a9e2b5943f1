import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { buildConnector } from 'undici'
import { type Resolve, resolveOnPrivateNetwork, resolveWithDns } from './name-resolution.ts'

/**
 * Thrown if a webhook must not send to an address. Addresses are checked when a URL is set, so that errors are reported
 * immediately. They are checked again for every connection after DNS resolution, because a name can later resolve to
 * another address. The connection uses exactly the checked addresses. For tests, an operator can allow private networks
 * with WEBHOOK_ALLOW_PRIVATE. Cloud metadata services, which issue identities and credentials of machines, are always
 * blocked.
 */
export class DestinationRejectedError extends Error {}

/**
 * The allowed ports, which only web servers use. On another port, a server could interpret a webhook request as a
 * different protocol.
 */
const PORTS = new Set(['', '443', '8443'])

/** Returns the reason why this URL is rejected; null if it is allowed. */
export function findDestinationError(address: string, allowPrivate: boolean): string | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return 'must be an https URL'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  const host = getHost(url)
  if (isMetadataAddress(host)) return 'must not point to a cloud metadata service'
  if (allowPrivate) return null
  if (url.protocol !== 'https:') return 'must be an https URL'
  if (!PORTS.has(url.port)) return 'must use port 443 or 8443'
  // The URL parser has already normalized decimal, octal, and hexadecimal forms.
  if (isIP(host) !== 0) return isPublicAddress(host) ? null : 'must not point to a private or reserved network'
  const name = host.toLowerCase().replace(/\.$/, '')
  if (name === 'localhost' || name.endsWith('.localhost') || !name.includes('.'))
    return 'must not point to a private network'
  return null
}

/**
 * Returns whether an address is on the public internet. The library classifies all registered ranges (loopback,
 * private, link-local, carrier-grade, benchmark, documentation, multicast, 6to4, Teredo, NAT64, IPv4 in IPv6, and
 * others). `unicast` means that the address is in none of them. In IPv6, only 2000::/3 has been allocated, so this
 * check also excludes addresses that the library does not classify, such as the old IPv4-compatible form (::7f00:1).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  // The metadata address of Azure is in a public range.
  if (isMetadataAddress(address)) return false
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST))
}
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Returns whether an address, in any notation, belongs to a cloud metadata service. All link-local addresses are
 * blocked, because webhooks never need them.
 */
export function isMetadataAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  const inside = parsed.kind() === 'ipv6' ? embeddedIPv4(parsed as ipaddr.IPv6) : null
  return [parsed, inside].some((one) => one !== null && METADATA.some((range) => rangeContains(range, one)))
}

const METADATA = [
  // AWS, Azure, Google, Oracle, OpenStack, DigitalOcean, Tencent, and container credentials of AWS
  '169.254.0.0/16',
  'fe80::/10',
  // AWS: instance metadata, time, DNS, and containers
  'fd00:ec2::/32',
  // Google.
  'fd20:ce::254/128',
  // Azure: the agent that provides certificates and settings of extensions
  '168.63.129.16/32',
  // Alibaba, and older machines of Oracle Cloud
  '100.100.100.200/32',
  '192.0.0.192/32',
].map((range) => ipaddr.parseCIDR(range))

type ParsedAddress = ipaddr.IPv4 | ipaddr.IPv6

function rangeContains(range: [ParsedAddress, number], address: ParsedAddress): boolean {
  return range[0].kind() === address.kind() && address.match(range)
}

// The ranges of IPv6 addresses that contain an IPv4 address. In mapped, IPv4-compatible, and translated (NAT64)
// addresses, it is in the last four bytes. In 6to4, it follows the prefix.
const IPV4_PREFIXES = ['::ffff:0:0/96', '::/96', '64:ff9b::/96'].map((range) => ipaddr.IPv6.parseCIDR(range))
const SIX_TO_FOUR = ipaddr.IPv6.parseCIDR('2002::/16')

function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const bytes = address.toByteArray()
  if (IPV4_PREFIXES.some((range) => address.match(range))) return new ipaddr.IPv4(bytes.slice(12))
  return address.match(SIX_TO_FOUR) ? new ipaddr.IPv4(bytes.slice(2, 6)) : null
}

/** Options for opening connections. */
export interface ConnectorOptions {
  timeoutMs: number
  allowPrivate: boolean
  resolve: Resolve | undefined
  /** Called with the address of each connection before data is sent. */
  connected(origin: string, address: string): void
}

/**
 * Returns a function that opens connections for undici. The function connects only to public addresses, unless
 * `allowPrivate` is true.
 */
export function createConnector(
  build: typeof buildConnector,
  { timeoutMs, allowPrivate, resolve, connected }: ConnectorOptions,
): buildConnector.connector {
  const isAllowed = (address: string) => (allowPrivate ? !isMetadataAddress(address) : isPublicAddress(address))
  const lookup = guardLookup(resolve ?? (allowPrivate ? resolveOnPrivateNetwork : resolveWithDns), isAllowed)
  const connect = build({ allowH2: false, timeout: timeoutMs, lookup } as buildConnector.BuildOptions)
  return (target, done) => {
    // An IP address is never looked up.
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !isAllowed(host)) return done(destinationRefused(host), null)
    connect(target, (error, socket) => {
      if (error !== null) return done(error, null)
      connected(`${target.protocol}//${target.host}`, socket.remoteAddress ?? '')
      done(null, socket)
    })
  }
}

// Reject the name if at least one of its addresses is private. A mix of public and private addresses is never
// accidental.
function guardLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (name, { all }, done) => {
    resolve(name).then(
      (addresses) => {
        const bad = addresses.find((address) => !isAllowed(address))
        const [first] = addresses
        if (bad !== undefined) return done(destinationRefused(bad), '')
        if (first === undefined) return done(new Error(`The host name ${name} has no IP address.`), '')
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

function destinationRefused(address: string): DestinationRejectedError {
  return new DestinationRejectedError(
    isMetadataAddress(address)
      ? `Webhooks cannot be sent to ${address}, the address of a cloud metadata service.`
      : `Webhooks cannot be sent to ${address}, because it is not a public address.`,
  )
}

function getHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}
