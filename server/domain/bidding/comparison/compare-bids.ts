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
import { averageAmount, subtract, sum, toPercentage } from '../../../platform/values/money.ts'
import { listEngagementObstacles } from '../../vendors/vendors/vendor.ts'
import { canStillWin, hasExpired, listTakenWork } from '../bids/bid.ts'
import type { ComparedBid } from './queries.ts'

/**
 * The bids of one request side by side. Everything is computed from the arguments; nothing is stored. While amounts are
 * hidden, nothing here reveals any of them: no price, no rank, no order of the bids, no flag derived from one. The
 * lines that a bid leaves out may be seen, so that the vendor can be asked in time.
 */
export function compareBids(
  request: BidRequest,
  vendors: readonly Vendor[],
  bids: readonly ComparedBid[],
  budgets: ReadonlyMap<string, number>,
  at: { now: Date; currency: string },
): BidComparison {
  const hidden = request.amountsHidden
  // Once the request is awarded, the comparison keeps the rejected bids to show what the choice was.
  const counted = bids.filter((bid) => bid.status !== 'rejected' || request.status === 'awarded')
  const amounts = computeSpread(hidden ? [] : counted.map((bid) => bid.amount), at.currency)
  const shown = hidden ? bids : [...bids].sort((a, b) => a.amount - b.amount || (a.id < b.id ? -1 : 1))
  const budgeted = budgets.size === 0 ? null : sum([...budgets.values()])
  const lines = request.lines.map((line) => compareLine(line, { shown, counted, hidden, currency: at.currency }))
  const required = lines.filter((line) => line.required)
  const isPriced = required.length > 0 && required.every((line) => line.lowAmount !== null)
  const isOpen = request.status === 'closed' || (request.status === 'sent' && !hidden)
  const isSplit = request.awardMode === 'split'
  const taken = new Set(bids.filter((bid) => bid.status === 'accepted').flatMap((bid) => listTakenWork(bid, request)))
  const byId = new Map(vendors.map((vendor) => [vendor.id, vendor]))

  const entries = shown.flatMap((bid) => {
    const vendor = byId.get(bid.vendorId)
    if (vendor === undefined) return []
    const rank =
      hidden || !counted.includes(bid) ? null : 1 + counted.filter((other) => other.amount < bid.amount).length
    const budget = bid.homeId === null ? budgeted : (budgets.get(bid.homeId) ?? null)
    const canWin = !isSplit ? isOpen : (isOpen || request.status === 'awarded') && canStillWin(bid, request, taken)
    return [toBidEntry(request, vendor, bid, { hidden, rank, low: amounts.low, budget, canWin, now: at.now })]
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
    lowAmount: amounts.low,
    highAmount: amounts.high,
    averageAmount: amounts.average,
    spreadAmount: amounts.spread,
    spreadPercent: amounts.spreadPercent,
    lowestBidIds: hidden ? [] : counted.filter((bid) => bid.amount === amounts.low).map((bid) => bid.id),
    lowestLinesTotal: isPriced ? sum(required.map((line) => line.lowAmount ?? 0)) : null,
    budgeted,
    vendors: [...entries, ...waiting],
    lines,
  }
}

function compareLine(
  line: BidRequestLine,
  {
    shown,
    counted,
    hidden,
    currency,
  }: { shown: readonly ComparedBid[]; counted: readonly ComparedBid[]; hidden: boolean; currency: string },
): BidComparisonLine {
  const prices = shown.flatMap((bid) => {
    const price = bid.lines.find((candidate) => candidate.lineId === line.lineId)
    return price === undefined ? [] : [{ bid, price }]
  })
  const competing = hidden
    ? []
    : prices.filter(
        ({ bid, price }) => counted.includes(bid) && !price.excluded && !price.alternate && price.amount !== null,
      )
  const figures = computeSpread(
    competing.map(({ price }) => price.amount ?? 0),
    currency,
  )
  const lowest = competing.filter(({ price }) => price.amount === figures.low).map(({ bid }) => bid.id)
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
      ({ bid, price }): BidComparisonPrice => ({
        bidId: bid.id,
        vendorId: bid.vendorId,
        quantity: price.quantity,
        unit: price.unit,
        unitPrice: price.unitPrice,
        amount: price.amount,
        excluded: price.excluded,
        alternate: price.alternate,
        note: price.note,
        lowest: lowest.includes(bid.id),
      }),
    ),
  }
}

/** The facts that an entry of the comparison is computed from. */
interface BidStanding {
  hidden: boolean
  rank: number | null
  low: number | null
  /** The budget that it is compared with. */
  budget: number | null
  /** Whether the bid can still win, given the request's status and the bids that have already won. */
  canWin: boolean
  now: Date
}

function toBidEntry(
  request: BidRequest,
  vendor: Vendor,
  bid: ComparedBid,
  { hidden, rank, low, budget, canWin, now }: BidStanding,
): BidComparisonVendor {
  const said = new Map(bid.lines.map((line) => [line.lineId, line]))
  const missing = request.lines.filter((line) => !said.has(line.lineId))
  const excluded = request.lines.filter((line) => said.get(line.lineId)?.excluded === true)
  const aboveLow = hidden || rank === null || low === null ? null : subtract(bid.amount, low)
  const aboveBudget = hidden || budget === null ? null : subtract(bid.amount, budget)
  // A lump sum covers the lines that it does not list.
  const isItemized = request.bidType !== 'lump_sum' || bid.lines.length > 0

  const flags = listVendorFlags(vendor)
  if (aboveBudget !== null && aboveBudget > 0) flags.push('over_budget')
  if (isItemized && missing.some((line) => line.required)) flags.push('lines_missing')
  if (excluded.some((line) => line.required)) flags.push('lines_excluded')
  if (Date.parse(bid.submittedAt) >= Date.parse(request.deadlineAt)) flags.push('late')
  if (hasExpired(bid, now)) flags.push('validity_past')
  return {
    ...toVendorEntry(request, vendor, flags, budget),
    bidId: bid.id,
    bidStatus: bid.status,
    revision: bid.revision,
    homeId: bid.homeId,
    amount: hidden ? null : bid.amount,
    rank,
    aboveLowAmount: aboveLow,
    aboveLowPercent: toPercentage(aboveLow, low),
    aboveBudgetAmount: aboveBudget,
    aboveBudgetPercent: toPercentage(aboveBudget, budget),
    pricedLineCount: request.lines.length - missing.length - excluded.length,
    missingLineIds: missing.map((line) => line.lineId),
    excludedLineIds: excluded.map((line) => line.lineId),
    inclusions: bid.inclusions,
    exclusions: bid.exclusions,
    leadTimeDays: bid.leadTimeDays,
    durationDays: bid.durationDays,
    validUntil: bid.validUntil,
    submittedAt: bid.submittedAt,
    awardable:
      canWin && bid.status === 'submitted' && !hasExpired(bid, now) && listEngagementObstacles(vendor).length === 0,
  }
}

/** Returns the entry of an invited vendor that has not bid. */
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
    rank: null,
    aboveLowAmount: null,
    aboveLowPercent: null,
    budgeted,
    aboveBudgetAmount: null,
    aboveBudgetPercent: null,
    pricedLineCount: 0,
    missingLineIds: [],
    excludedLineIds: [],
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
  return { low, high, average: averageAmount(amounts, currency), spread, spreadPercent: toPercentage(spread, low) }
}
