import type { FoundPrice } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { explainMissingPrice, type PriceRequest, toFoundPrice } from './price.ts'
import * as prices from './queries.ts'

/**
 * Returns the price of each line, in the order of the lines. Executes two statements, regardless of the number of
 * lines. If lines have no price, executes two more to find the reasons.
 */
export async function findPrices(
  call: Call,
  lines: readonly { partId: string; quantity: number }[],
  requested: PriceRequest,
): Promise<FoundPrice[]> {
  const ids = await prices.choosePriceIds(call, lines, requested)
  const chosen = await prices.findAll(call, [...new Set(ids.filter((id) => id !== null))])
  const byId = new Map(chosen.map((price) => [price.id, price]))
  const unpriced = lines.filter((_, i) => ids[i] === null).map(({ partId }) => partId)
  const candidates = unpriced.length === 0 ? new Map() : await prices.findPriceCandidates(call, unpriced)
  return lines.map((line, i) => {
    const price = byId.get(ids[i] ?? '') ?? null
    const issue =
      price === null ? explainMissingPrice(candidates.get(line.partId) ?? [], requested, line.quantity) : null
    return toFoundPrice(line, requested, price, issue, call.currency)
  })
}
