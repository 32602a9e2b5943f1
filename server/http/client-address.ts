import type { Duplex } from 'node:stream'
import type { Request } from 'express'
import ipaddr from 'ipaddr.js'

/**
 * The address that a request comes from: that of its connection, or, behind the proxies that the configuration trusts,
 * the last one of X-Forwarded-For that is none of theirs. Whoever is not trusted may write into that header what it likes.
 */
export function clientAddress(req: Request): string {
  return plain(req.ip)
}

/** The other end of a connection, whoever it speaks for. */
export function peerAddress(socket: Duplex & { remoteAddress?: string }): string {
  return plain(socket.remoteAddress)
}

// A socket that listens on both versions writes those of the fourth as ::ffff:192.0.2.7. One that is closed by now has none.
function plain(address = 'unknown'): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
}

/**
 * What counts as one client where clients are counted: an address of the fourth version, and of the sixth the 64 bits in
 * front, because whoever has one such address has all that begin with them.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address
  return `${ipaddr.IPv6.parse(address)
    .parts.slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

/** The names for ranges of addresses that Express knows. */
const NAMED_RANGES = ['loopback', 'linklocal', 'uniquelocal']

/** Whether this is an address, a range of addresses (10.0.0.0/8), or a name for one. */
export function isAddressRange(text: string): boolean {
  return NAMED_RANGES.includes(text) || ipaddr.isValid(text) || ipaddr.isValidCIDR(text)
}
