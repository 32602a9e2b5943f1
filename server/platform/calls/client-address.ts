import type { Duplex } from 'node:stream'
import type { Request } from 'express'
import ipaddr from 'ipaddr.js'

/**
 * The client address of a request: that of its connection or, behind trusted proxies, the last one in X-Forwarded-For
 * that is not a trusted proxy's. Untrusted clients can put anything into that header.
 */
export function clientAddress(req: Request): string {
  // Nobody forwards most requests, and Express would find that out the long way.
  return req.headers['x-forwarded-for'] === undefined ? peerAddress(req.socket) : plain(req.ip)
}

/** The peer address of a connection, regardless of whom it forwards for. */
export function peerAddress(socket: Duplex & { remoteAddress?: string }): string {
  return plain(socket.remoteAddress)
}

// A dual-stack socket reports IPv4 addresses as ::ffff:192.0.2.7. A closed one reports none.
function plain(address = 'unknown'): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
}

/**
 * What counts as one client: an IPv4 address, or the /64 of an IPv6 address, because whoever has one address in it
 * usually has all of them.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address
  return `${ipaddr.IPv6.parse(address)
    .parts.slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

/** The named address ranges that Express knows. */
const NAMED_RANGES = ['loopback', 'linklocal', 'uniquelocal']

/** Whether this is an address, a range (10.0.0.0/8), or the name of a range. */
export function isAddressRange(text: string): boolean {
  if (NAMED_RANGES.includes(text)) return true
  const address = text.replace(/\/.*$/s, '')
  // The library also reads 127.0.0 and 0x7f.1 as addresses, which Express refuses.
  if (!address.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(address)) return false
  return text === address ? ipaddr.isValid(text) : ipaddr.isValidCIDR(text)
}
