import ipaddr from 'ipaddr.js'

type Range = [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** The addresses and ranges from which a key may be used, parsed for comparison. */
export type AddressList = readonly Range[]

/** The address list of a key is checked on every request, so its length is limited. */
export const MAX_ALLOWED_ADDRESSES = 50

/**
 * Returns whether an address list can contain this text: a single address (203.0.113.7, 2001:db8::7) or a range
 * (10.0.0.0/8).
 */
export function isAddressOrRange(text: string): boolean {
  if (!text.includes(':'))
    return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv4.isValidCIDRFourPartDecimal(text)
  // An IPv4-mapped IPv6 address would never match, because request addresses are unmapped first.
  return (ipaddr.IPv6.isValid(text) || ipaddr.IPv6.isValidCIDR(text)) && !/^(::ffff:|.*%)/i.test(text)
}

export function parseAddressList(texts: readonly string[]): AddressList {
  return texts.map((text): Range => {
    if (text.includes('/')) return ipaddr.parseCIDR(text)
    const address = ipaddr.parse(text)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  })
}

/**
 * Returns whether the address is in the list. An unreadable address, such as the address of a closed connection,
 * matches nothing.
 */
export function isInAddressList(list: AddressList, address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const requested = ipaddr.process(address)
  return list.some(([network, bits]) => network.kind() === requested.kind() && requested.match(network, bits))
}
