import ipaddr from 'ipaddr.js'

type Range = [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** The addresses and ranges from which a key can be used, in a form for comparisons. */
export type AddressList = readonly Range[]

/** The length is limited, because the list is checked for every request with the key. */
export const MAX_ALLOWED_ADDRESSES = 50

/**
 * Returns whether the text can be in an address list: a single address (203.0.113.7, 2001:db8::7) or a range
 * (10.0.0.0/8).
 */
export function isAddressOrRange(text: string): boolean {
  if (!text.includes(':'))
    return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv4.isValidCIDRFourPartDecimal(text)
  // An IPv4-mapped IPv6 address would never match, because the addresses of requests are converted to IPv4 first.
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
 * Returns whether the address is in the list. An invalid address, such as that of a closed connection, is never in a
 * list.
 */
export function isInAddressList(list: AddressList, address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const requested = ipaddr.process(address)
  return list.some(([network, bits]) => network.kind() === requested.kind() && requested.match(network, bits))
}
