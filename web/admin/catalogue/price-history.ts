import type { Price } from '../../../client/contract.gen.ts'

/**
 * Returns the change of each price compared with the price that it followed, in percent, by the ID of the price. A price
 * follows another price of the same vendor for the same place and quantity. The first price has no change.
 */
export function computePriceChanges(prices: readonly Price[]): ReadonlyMap<string, number> {
  const oldestFirst = prices.toSorted((a, b) => (a.effectiveDate < b.effectiveDate ? -1 : 1))
  const latest = new Map<string, number>()
  const changes = new Map<string, number>()
  for (const { id, vendorId, communityId, planId, minQuantity, unitPrice } of oldestFirst) {
    const place = JSON.stringify([vendorId, communityId, planId, minQuantity])
    const before = latest.get(place)
    if (before !== undefined && before !== 0) changes.set(id, ((unitPrice - before) / before) * 100)
    latest.set(place, unitPrice)
  }
  return changes
}
