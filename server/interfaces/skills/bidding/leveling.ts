import type {
  BidComparison,
  BidComparisonVendor,
  LeveledBid,
  LeveledPrice,
  PlugAmount,
} from '../../../../client/contract.gen.ts'
import { SEALED_MESSAGES } from '../../../domain/bidding/bid-requests/bid-request.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { computeAverageAmount, sum } from '../../../platform/values/money.ts'

type Plug = LeveledBid['plugs'][number]

/**
 * Levels the bids of a comparison that has no hidden amounts: fills each line that a bid leaves empty with the given
 * amount or, without one, with the median of the other bids. Returns the lowest leveled amount first and incomplete
 * bids last.
 */
export function levelComparison(comparison: BidComparison, plugs: readonly PlugAmount[]): LeveledBid[] {
  if (comparison.amountsHidden) throw conflict('bids_sealed', SEALED_MESSAGES.level(comparison.number))
  const medians = new Map(
    comparison.lines.map(({ lineId, prices }) => [lineId, medianPrice(prices, comparison.currency)]),
  )
  const descriptions = new Map(comparison.lines.map(({ lineId, description }) => [lineId, description]))
  // After the award, the rejected bids remain in the comparison, because the award was chosen from them.
  const isOpen = comparison.status !== 'awarded'
  const bids = comparison.vendors.flatMap((vendor) => {
    const { bidId, amount, rank, vendorId, companyName, exclusions, flags, leveledSubtotal } = vendor
    if (bidId === null || amount === null || leveledSubtotal === null) return []
    if (isOpen && vendor.bidStatus === 'rejected') return []
    const filled = vendor.gaps.map(({ lineId }): Plug => {
      const given = findPlug(plugs, bidId, lineId)
      const median = lineId === null ? undefined : medians.get(lineId)
      const basis = given !== undefined ? 'given' : median === undefined ? 'none' : 'median'
      const description = lineId === null ? toExcerpt(exclusions ?? '') : (descriptions.get(lineId) ?? '')
      return { lineId, description, amount: given ?? median ?? null, basis }
    })
    return [
      {
        ...{ vendorId, vendor: companyName, bidId, amount, rank, prices: listPrices(comparison, vendor), exclusions },
        ...{ plugs: filled, flags },
        leveledAmount: sum([leveledSubtotal, ...filled.map((plug) => plug.amount ?? 0)]),
        isComplete: filled.every((plug) => plug.amount !== null),
      },
    ]
  })
  bids.sort(
    (a, b) =>
      Number(b.isComplete) - Number(a.isComplete) ||
      a.leveledAmount - b.leveledAmount ||
      (a.rank ?? Number.POSITIVE_INFINITY) - (b.rank ?? Number.POSITIVE_INFINITY) ||
      (a.bidId < b.bidId ? -1 : 1),
  )
  return bids.map((bid, i) => ({ ...bid, leveledRank: i + 1 }))
}

/**
 * Returns the amount that replaces a missing price of a line. An amount for one bid takes precedence over an amount for
 * all bids.
 */
function findPlug(plugs: readonly PlugAmount[], bidId: string, lineId: string | null): number | undefined {
  const ofPart = plugs.filter((plug) => plug.lineId === lineId)
  const plug = ofPart.find((plug) => plug.bidId === bidId) ?? ofPart.find((plug) => plug.bidId === undefined)
  return plug?.amount
}

function listPrices(comparison: BidComparison, { bidId }: BidComparisonVendor): LeveledPrice[] {
  return comparison.lines.flatMap(({ lineId, prices }) =>
    prices.flatMap((price) => {
      if (price.bidId !== bidId) return []
      const { quantity, unit, unitPrice, amount, leveledAmount, alternate } = price
      return [{ lineId, quantity, unit, unitPrice, amount, leveledAmount, alternate }]
    }),
  )
}

/**
 * Shortens a text to 500 characters, the maximum length of the description of a plug (an amount that replaces a missing
 * price).
 */
function toExcerpt(text: string): string {
  return text.length > 500 ? `${text.slice(0, 499)}…` : text
}

/** Returns the median of the leveled prices of a line; undefined if no bid has a price for it. */
function medianPrice(prices: BidComparison['lines'][number]['prices'], currency: string): number | undefined {
  const amounts = prices.flatMap(({ leveledAmount }) => leveledAmount ?? [])
  if (amounts.length === 0) return undefined
  amounts.sort((a, b) => a - b)
  const middle = Math.floor(amounts.length / 2)
  return computeAverageAmount(amounts.slice(amounts.length % 2 === 1 ? middle : middle - 1, middle + 1), currency)
}
