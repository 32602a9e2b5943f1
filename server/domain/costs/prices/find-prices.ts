import type { FoundPrice } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { explainNoPrice, type PriceRequest, toFoundPrice } from './price.ts'
import * as prices from './queries.ts'

/**
 * Returns the price of each line, in the order of the lines. Takes two statements however many lines there are, and two
 * more if any line has no price, to say why.
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
  const candidates = unpriced.length === 0 ? new Map() : await prices.findCandidates(call, unpriced)
  return lines.map((line, i) => {
    const price = byId.get(ids[i] ?? '') ?? null
    const issue = price === null ? explainNoPrice(candidates.get(line.partId) ?? [], requested, line.quantity) : null
    return toFoundPrice(line, requested, price, issue, call.currency)
  })
}
