import ipaddr from 'ipaddr.js'

type Range = [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** The addresses and ranges that a key may be used from, as they are asked. */
export type AddressList = readonly Range[]

/** A key is asked for its list with every request, so the list is read once and has an end. */
export const MOST_ALLOWED_ADDRESSES = 50

/** Whether this is one address (203.0.113.7, 2001:db8::7) or a range (10.0.0.0/8) that a list can hold. */
export function isAllowable(text: string): boolean {
  if (!text.includes(':'))
    return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv4.isValidCIDRFourPartDecimal(text)
  // One of the fourth version in the dress of the sixth would be compared with nothing, for requests come undressed.
  return (ipaddr.IPv6.isValid(text) || ipaddr.IPv6.isValidCIDR(text)) && !/^(::ffff:|.*%)/i.test(text)
}

export function addressList(texts: readonly string[]): AddressList {
  return texts.map((text): Range => {
    if (text.includes('/')) return ipaddr.parseCIDR(text)
    const address = ipaddr.parse(text)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  })
}

/** An address that cannot be read, such as that of a connection which is closed by now, is among none. */
export function isAmong(list: AddressList, address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const asked = ipaddr.process(address)
  return list.some(([network, bits]) => network.kind() === asked.kind() && asked.match(network, bits))
}
