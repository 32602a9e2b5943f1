import type { Duplex } from 'node:stream'
import type { Request } from 'express'
import ipaddr from 'ipaddr.js'

/**
 * Returns the client address of a request, which is the address of its connection. Behind trusted proxies, it is the
 * last address in X-Forwarded-For that is not a trusted proxy. Untrusted clients can put any text into that header.
 */
export function getClientAddress(req: Request): string {
  // Most requests are not forwarded, and Express takes longer to find this out.
  return req.headers['x-forwarded-for'] === undefined ? getPeerAddress(req.socket) : normalizeAddress(req.ip)
}

/** Returns the peer address of a connection, even if the peer is a proxy. */
export function getPeerAddress(socket: Duplex & { remoteAddress?: string }): string {
  return normalizeAddress(socket.remoteAddress)
}

// A dual-stack socket reports IPv4 addresses as ::ffff:192.0.2.7. A closed socket reports no address.
function normalizeAddress(address = 'unknown'): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
}

/**
 * Returns the network that counts as one client: an IPv4 address, or the /64 of an IPv6 address. A client usually has
 * all addresses of its /64.
 */
export function getNetwork(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address
  return `${ipaddr.IPv6.parse(address)
    .parts.slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

/** The named address ranges that Express knows. */
const NAMED_RANGES = ['loopback', 'linklocal', 'uniquelocal']

/** Returns whether this is an address, a range (10.0.0.0/8), or the name of a range. */
export function isAddressRange(text: string): boolean {
  if (NAMED_RANGES.includes(text)) return true
  const address = text.replace(/\/.*$/s, '')
  // The library also accepts 127.0.0 and 0x7f.1 as addresses, which Express rejects.
  if (!address.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(address)) return false
  return text === address ? ipaddr.isValid(text) : ipaddr.isValidCIDR(text)
}
