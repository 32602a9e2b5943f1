import type { Address, AddressInput } from '../../../client/contract.gen.ts'

const NO_ADDRESS: Address = { line1: null, line2: null, city: null, state: null, postalCode: null, country: null }

/** Returns an address in the form in which it is stored: with all parts, of which missing ones are null. */
export function toAddress(provided: AddressInput | null | undefined): Address | null {
  return provided == null ? null : { ...NO_ADDRESS, ...provided }
}

/** Returns an address as a single line; null if the address is empty. */
export function formatAddress(address: Address | null): string | null {
  if (address === null) return null
  const { line1, line2, city, state, postalCode } = address
  const parts = [line1, line2, city, state, postalCode].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(', ')
}
