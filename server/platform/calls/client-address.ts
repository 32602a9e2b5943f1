import type { Duplex } from 'node:stream'
import type { Request } from 'express'
import ipaddr from 'ipaddr.js'

/**
 * Returns the address of the client. By default, this is the address of the connection. If the connection comes from a
 * trusted proxy, it is the last address in X-Forwarded-For that is not a trusted proxy. The addresses before it cannot
 * be trusted, because clients can send any text in this header.
 */
export function getClientAddress(req: Request): string {
  // Most requests have no such header, which is faster to check here than in Express.
  return req.headers['x-forwarded-for'] === undefined ? getPeerAddress(req.socket) : normalizeAddress(req.ip)
}

/** Returns the address of the other end of a connection, which may be a proxy. */
export function getPeerAddress(socket: Duplex & { remoteAddress?: string }): string {
  return normalizeAddress(socket.remoteAddress)
}

// A dual-stack socket reports an IPv4 address in the form ::ffff:192.0.2.7, and a closed socket reports none.
function normalizeAddress(address = 'unknown'): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
}

/**
 * Returns the network that counts as one client. The network is an IPv4 address or the /64 network of an IPv6 address,
 * because a client usually has all addresses of this network.
 */
export function getNetwork(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address
  return `${ipaddr.IPv6.parse(address)
    .parts.slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

/** The names of address ranges that Express accepts. */
const NAMED_RANGES = ['loopback', 'linklocal', 'uniquelocal']

/** Returns whether the text is an address, a range (10.0.0.0/8), or the name of a range. */
export function isAddressRange(text: string): boolean {
  if (NAMED_RANGES.includes(text)) return true
  const address = text.replace(/\/.*$/s, '')
  // The library also accepts 127.0.0 and 0x7f.1 as addresses, but Express rejects them.
  if (!address.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(address)) return false
  return text === address ? ipaddr.isValid(text) : ipaddr.isValidCIDR(text)
}
