import type { BidComparison, LeveledBid } from '../../../../client/contract.gen.ts'
import { SEALED_MESSAGE } from '../../../domain/bidding/bid-requests/bid-request.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { averageAmount, sum } from '../../../platform/values/money.ts'

/**
 * Returns the bids of a comparison without hidden amounts, the lowest leveled amount first and incomplete bids last.
 */
export function levelComparison(comparison: BidComparison, plugs: ReadonlyMap<string, number>): LeveledBid[] {
  if (comparison.amountsHidden)
    throw conflict('bids_sealed', `Cannot level the bids of ${comparison.number}: ${SEALED_MESSAGE}`)
  const medians = new Map(
    comparison.lines.map(({ lineId, prices }) => [lineId, medianPrice(prices, comparison.currency)]),
  )
  const descriptions = new Map(comparison.lines.map(({ lineId, description }) => [lineId, description]))
  const required = new Set(comparison.lines.flatMap(({ lineId, required }) => (required ? [lineId] : [])))
  const bids = comparison.vendors.flatMap((vendor) => {
    const { bidId, amount, rank, vendorId, companyName, flags } = vendor
    if (bidId === null || amount === null || rank === null) return []
    // A lump sum that names no lines covers all of them.
    const isItemized = flags.includes('lines_missing') || flags.includes('lines_excluded')
    const gaps = isItemized
      ? [...vendor.missingLineIds, ...vendor.excludedLineIds].filter((id) => required.has(id))
      : []
    const filled = gaps.map((lineId) => {
      const [given, median] = [plugs.get(lineId), medians.get(lineId)]
      const basis =
        given !== undefined ? ('given' as const) : median === undefined ? ('none' as const) : ('median' as const)
      return { lineId, description: descriptions.get(lineId) ?? '', amount: given ?? median ?? null, basis }
    })
    return [
      {
        ...{ vendorId, vendor: companyName, bidId, amount, rank, plugs: filled },
        leveledAmount: sum([amount, ...filled.map((plug) => plug.amount ?? 0)]),
        isComplete: filled.every((plug) => plug.amount !== null),
      },
    ]
  })
  bids.sort(
    (a, b) => Number(b.isComplete) - Number(a.isComplete) || a.leveledAmount - b.leveledAmount || a.rank - b.rank,
  )
  return bids.map((bid, i) => ({ ...bid, leveledRank: i + 1 }))
}

/** Returns the median of the prices bid for a line as requested; undefined if there are none. */
function medianPrice(prices: BidComparison['lines'][number]['prices'], currency: string): number | undefined {
  const amounts = prices.flatMap(({ amount, excluded, alternate }) =>
    excluded || alternate || amount === null ? [] : [amount],
  )
  if (amounts.length === 0) return undefined
  amounts.sort((a, b) => a - b)
  const middle = Math.floor(amounts.length / 2)
  return averageAmount(amounts.slice(amounts.length % 2 === 1 ? middle : middle - 1, middle + 1), currency)
}
