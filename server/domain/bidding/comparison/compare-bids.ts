import type {
  BidComparison,
  BidComparisonLine,
  BidComparisonPrice,
  BidComparisonVendor,
  BidFlag,
  BidRequest,
  BidRequestLine,
  Vendor,
} from '../../../../client/contract.gen.ts'
import { computeAverageAmount, subtract, sum, toPercentage } from '../../../platform/values/money.ts'
import { listEngagementObstacles } from '../../vendors/vendors/vendor.ts'
import { canStillBeAwarded, hasBidExpired, listAwardableWork } from '../bids/bid.ts'
import { type LeveledOffer, levelOffers } from './leveled-bid.ts'
import type { ComparedBid } from './queries.ts'

/**
 * Compares the bids of one request side by side. Computes the result from the arguments and stores nothing. While
 * amounts are hidden, the comparison contains no price, no rank, no order by price, and no flag that depends on an
 * amount. The comparison still shows the lines that a bid omits, so that the builder can ask the vendor before the
 * deadline.
 */
export function compareBids(
  request: BidRequest,
  vendors: readonly Vendor[],
  bids: readonly ComparedBid[],
  budgets: ReadonlyMap<string, number>,
  at: { now: Date; currency: string },
): BidComparison {
  const hidden = request.amountsHidden
  // After the award, also include rejected bids, to show the alternatives.
  const counted = bids.filter((bid) => bid.status !== 'rejected' || request.status === 'awarded')
  const offers = levelOffers(request, bids, at.currency)
  const leveled = new Map(
    (hidden ? [] : counted).flatMap((bid) => {
      const offer = offers.get(bid.id)
      return offer === undefined || offer.gaps.length > 0 ? [] : [[bid.id, offer.subtotal] as const]
    }),
  )
  const amounts = computeSpread([...leveled.values()], at.currency)
  const shown = hidden ? bids : bids.toSorted((a, b) => compareOffers(offers, a, b))
  const budgeted = budgets.size === 0 ? null : sum([...budgets.values()])
  const lines = request.lines.map((line) =>
    compareLine(line, { shown, counted, offers, hidden, currency: at.currency }),
  )
  const required = lines.filter((line) => line.required)
  const isPriced = required.length > 0 && required.every((line) => line.lowAmount !== null)
  const isOpen = request.status === 'closed' || (request.status === 'sent' && !hidden)
  const isSplit = request.awardMode === 'split'
  const taken = new Set(
    bids.filter((bid) => bid.status === 'accepted').flatMap((bid) => listAwardableWork(bid, request)),
  )
  const byId = new Map(vendors.map((vendor) => [vendor.id, vendor]))

  const entries = shown.flatMap((bid) => {
    const vendor = byId.get(bid.vendorId)
    if (vendor === undefined) return []
    const amount = leveled.get(bid.id) ?? null
    const rank = amount === null ? null : 1 + [...leveled.values()].filter((other) => other < amount).length
    const budget = bid.homeId === null ? budgeted : (budgets.get(bid.homeId) ?? null)
    const canWin = !isSplit
      ? isOpen
      : (isOpen || request.status === 'awarded') && canStillBeAwarded(bid, request, taken)
    const offer = offers.get(bid.id)
    if (offer === undefined) return []
    return [toBidEntry(request, vendor, bid, { offer, hidden, rank, low: amounts.low, budget, canWin, now: at.now })]
  })
  const silent = request.vendorIds.filter((id) => !bids.some((bid) => bid.vendorId === id))
  const waiting = silent.flatMap((id) => {
    const vendor = byId.get(id)
    return vendor === undefined ? [] : [toVendorEntry(request, vendor, listVendorFlags(vendor), budgeted)]
  })

  return {
    bidRequestId: request.id,
    number: request.number,
    scope: request.scope,
    communityId: request.communityId,
    homeIds: request.homeIds,
    status: request.status,
    currency: at.currency,
    asOf: at.now.toISOString(),
    amountsHidden: hidden,
    bidCount: counted.length,
    leveledBidCount: leveled.size,
    lowAmount: amounts.low,
    highAmount: amounts.high,
    averageAmount: amounts.average,
    spreadAmount: amounts.spread,
    spreadPercent: amounts.spreadPercent,
    lowestBidIds: [...leveled].flatMap(([bidId, amount]) => (amount === amounts.low ? [bidId] : [])),
    lowestLinesTotal: isPriced ? sum(required.map((line) => line.lowAmount ?? 0)) : null,
    budgeted,
    vendors: [...entries, ...waiting],
    lines,
  }
}

/** Compares two bids for sorting: leveled bids first, by their leveled amounts. */
function compareOffers(offers: ReadonlyMap<string, LeveledOffer>, a: ComparedBid, b: ComparedBid): number {
  const [first, second] = [offers.get(a.id), offers.get(b.id)]
  if (first === undefined || second === undefined) return 0
  return (
    Number(first.gaps.length > 0) - Number(second.gaps.length > 0) ||
    first.subtotal - second.subtotal ||
    (a.id < b.id ? -1 : 1)
  )
}

/**
 * Returns whether a bid excludes work without an amount. Excluded work can affect any line, so no price of such a bid
 * can be the lowest.
 */
function hasOpenExclusions(offer: LeveledOffer | undefined): boolean {
  return offer === undefined || offer.gaps.some(({ reason }) => reason === 'exclusions')
}

interface ComparedBids {
  shown: readonly ComparedBid[]
  counted: readonly ComparedBid[]
  offers: ReadonlyMap<string, LeveledOffer>
  hidden: boolean
  currency: string
}

function compareLine(
  line: BidRequestLine,
  { shown, counted, offers, hidden, currency }: ComparedBids,
): BidComparisonLine {
  const prices = shown.flatMap((bid) => {
    const price = bid.lines.find((candidate) => candidate.lineId === line.lineId)
    const leveledAmount = offers.get(bid.id)?.lineAmounts.get(line.lineId) ?? null
    return price === undefined ? [] : [{ bid, price, leveledAmount }]
  })
  const competing = hidden
    ? []
    : prices.flatMap(({ bid, leveledAmount }) =>
        counted.includes(bid) && leveledAmount !== null && !hasOpenExclusions(offers.get(bid.id))
          ? [{ bidId: bid.id, leveledAmount }]
          : [],
      )
  const figures = computeSpread(
    competing.map(({ leveledAmount }) => leveledAmount),
    currency,
  )
  const lowest = competing.filter(({ leveledAmount }) => leveledAmount === figures.low).map(({ bidId }) => bidId)
  const priced = new Set(prices.filter(({ price }) => !price.excluded).map(({ bid }) => bid.id))
  const { lineId, description, quantity, unit, required } = line
  return {
    ...{ lineId, description, quantity, unit, required },
    lowAmount: figures.low,
    highAmount: figures.high,
    spreadAmount: figures.spread,
    spreadPercent: figures.spreadPercent,
    lowestBidIds: lowest,
    missingBidIds: shown.filter((bid) => !priced.has(bid.id)).map((bid) => bid.id),
    prices: (hidden ? [] : prices).map(
      ({ bid, price, leveledAmount }): BidComparisonPrice => ({
        bidId: bid.id,
        vendorId: bid.vendorId,
        quantity: price.quantity,
        unit: price.unit,
        unitPrice: price.unitPrice,
        amount: price.amount,
        leveledAmount,
        excluded: price.excluded,
        alternate: price.alternate,
        note: price.note,
        lowest: lowest.includes(bid.id),
      }),
    ),
  }
}

/** The data from which an entry of the comparison is computed. */
interface BidStanding {
  offer: LeveledOffer
  hidden: boolean
  rank: number | null
  low: number | null
  /** The budget to which the bid is compared. */
  budget: number | null
  /** Whether the bid can still be awarded, given the status of the request and the existing awards. */
  canWin: boolean
  now: Date
}

function toBidEntry(
  request: BidRequest,
  vendor: Vendor,
  bid: ComparedBid,
  { offer, hidden, rank, low, budget, canWin, now }: BidStanding,
): BidComparisonVendor {
  const said = new Map(bid.lines.map((line) => [line.lineId, line]))
  const missing = request.lines.filter((line) => !said.has(line.lineId))
  const excluded = request.lines.filter((line) => said.get(line.lineId)?.excluded === true)
  const isLeveled = !hidden && offer.gaps.length === 0
  const aboveLow = rank === null || low === null ? null : subtract(offer.subtotal, low)
  const isForAllHomes = bid.homeId === null
  const aboveBudget =
    hidden || budget === null ? null : subtract(isLeveled && isForAllHomes ? offer.subtotal : bid.amount, budget)
  // A lump sum covers all lines that it does not list.
  const isItemized = request.bidType !== 'lump_sum' || bid.lines.length > 0

  const flags = listVendorFlags(vendor)
  if (aboveBudget !== null && aboveBudget > 0) flags.push('over_budget')
  if (isItemized && missing.some((line) => line.required)) flags.push('lines_missing')
  if (excluded.some((line) => line.required)) flags.push('lines_excluded')
  flags.push(...offer.flags)
  if (Date.parse(bid.submittedAt) >= Date.parse(request.deadlineAt)) flags.push('late')
  if (hasBidExpired(bid, now)) flags.push('validity_past')
  return {
    ...toVendorEntry(request, vendor, flags, budget),
    bidId: bid.id,
    bidStatus: bid.status,
    revision: bid.revision,
    homeId: bid.homeId,
    amount: hidden ? null : bid.amount,
    leveledSubtotal: hidden ? null : offer.subtotal,
    leveledAmount: isLeveled ? offer.subtotal : null,
    gaps: offer.gaps,
    leveling: hidden ? [] : bid.leveling,
    rank,
    aboveLowAmount: aboveLow,
    aboveLowPercent: toPercentage(aboveLow, low),
    aboveBudgetAmount: aboveBudget,
    aboveBudgetPercent: toPercentage(aboveBudget, budget),
    pricedLineCount: request.lines.length - missing.length - excluded.length,
    missingLineIds: missing.map((line) => line.lineId),
    excludedLineIds: excluded.map((line) => line.lineId),
    alternates: hidden ? bid.alternates.map((alternate) => ({ ...alternate, amount: null })) : bid.alternates,
    inclusions: bid.inclusions,
    exclusions: bid.exclusions,
    leadTimeDays: bid.leadTimeDays,
    durationDays: bid.durationDays,
    validUntil: bid.validUntil,
    submittedAt: bid.submittedAt,
    awardable:
      canWin && bid.status === 'submitted' && !hasBidExpired(bid, now) && listEngagementObstacles(vendor).length === 0,
  }
}

/** Returns the entry of an invited vendor without a bid. */
function toVendorEntry(
  request: BidRequest,
  vendor: Vendor,
  flags: BidFlag[],
  budgeted: number | null,
): BidComparisonVendor {
  const invitation = request.invitations.find((candidate) => candidate.vendorId === vendor.id)
  return {
    vendorId: vendor.id,
    companyName: vendor.companyName,
    vendorStatus: vendor.status,
    complianceStatus: vendor.complianceStatus,
    invitationStatus: invitation?.status ?? null,
    bidId: null,
    bidStatus: null,
    revision: null,
    homeId: null,
    amount: null,
    leveledSubtotal: null,
    leveledAmount: null,
    gaps: [],
    leveling: [],
    rank: null,
    aboveLowAmount: null,
    aboveLowPercent: null,
    budgeted,
    aboveBudgetAmount: null,
    aboveBudgetPercent: null,
    pricedLineCount: 0,
    missingLineIds: [],
    excludedLineIds: [],
    alternates: [],
    inclusions: null,
    exclusions: null,
    leadTimeDays: null,
    durationDays: null,
    validUntil: null,
    submittedAt: null,
    flags,
    awardable: false,
  }
}

function listVendorFlags(vendor: Vendor): BidFlag[] {
  const flags: BidFlag[] = listEngagementObstacles(vendor).map((obstacle) => obstacle.code)
  if (vendor.complianceStatus === 'expiring') flags.push('compliance_expiring')
  if (vendor.complianceStatus === 'missing') flags.push('compliance_missing')
  return flags
}

interface AmountSpread {
  low: number | null
  high: number | null
  average: number | null
  spread: number | null
  spreadPercent: number | null
}

function computeSpread(amounts: readonly number[], currency: string): AmountSpread {
  if (amounts.length === 0) return { low: null, high: null, average: null, spread: null, spreadPercent: null }
  const low = Math.min(...amounts)
  const high = Math.max(...amounts)
  const spread = subtract(high, low)
  return {
    low,
    high,
    average: computeAverageAmount(amounts, currency),
    spread,
    spreadPercent: toPercentage(spread, low),
  }
}
