import Big from 'big.js'
import type { BidFlag, BidGap, BidLine, BidRequest, BidRequestLine } from '../../../../client/contract.gen.ts'
import { roundMoney, sum } from '../../../platform/values/money.ts'
import { findUnitFactor, isSameUnit } from '../../../platform/values/units.ts'
import type { ComparedBid } from './queries.ts'

/** A bid converted to the requested quantities and units, and to all homes of the request. */
export interface LeveledOffer {
  /** The sum of the comparable parts. */
  subtotal: number
  gaps: BidGap[]
  /**
   * The leveled amount of each line of the request; null if the price cannot be compared. Omits lines without a price.
   */
  lineAmounts: Map<string, number | null>
  flags: BidFlag[]
}

type LeveledRequest = Pick<BidRequest, 'homeIds' | 'lines' | 'bidType'>

/**
 * Levels all bids. An amount that the builder has set for a part takes precedence. The amount of a bid for one of
 * several homes is extrapolated to all homes. If a vendor has bids for several homes, each of these bids receives the
 * average of the extrapolated amounts. If the bids cover all homes, this average is the vendor's total.
 */
export function levelOffers(
  request: LeveledRequest,
  bids: readonly ComparedBid[],
  currency: string,
): Map<string, LeveledOffer> {
  const offers = new Map(bids.map((bid) => [bid.id, levelOffer(request, bid, currency)]))
  if (request.homeIds.length < 2) return offers
  for (const [, ofVendor] of Map.groupBy(
    bids.filter((bid) => bid.homeId !== null && bid.status !== 'rejected'),
    (bid) => bid.vendorId,
  )) {
    const coversAll = new Set(ofVendor.map((bid) => bid.homeId)).size === request.homeIds.length
    const own = ofVendor.flatMap((bid) => offers.get(bid.id) ?? [])
    const subtotal = roundMoney(new Big(sum(own.map((offer) => offer.subtotal))).div(own.length), currency)
    for (const offer of own) {
      offer.subtotal = subtotal
      if (coversAll) offer.flags = offer.flags.filter((flag) => flag !== 'part_of_homes')
    }
  }
  return offers
}

function levelOffer(request: LeveledRequest, bid: ComparedBid, currency: string): LeveledOffer {
  const homeCount = bid.homeId === null ? 1 : Math.max(1, request.homeIds.length)
  const given = new Map(bid.leveling.map(({ lineId, amount }) => [lineId, amount]))
  const priced = new Map(bid.lines.map((line) => [line.lineId, line]))
  const flags = new Set<BidFlag>()
  const gaps: BidGap[] = []
  const lineAmounts = new Map<string, number | null>()
  const parts: number[] = []

  // A lump sum covers all lines that it does not list.
  const isItemized = request.bidType !== 'lump_sum' || bid.lines.length > 0
  if (bid.lines.length === 0) parts.push(multiply(bid.amount, homeCount, currency))
  for (const line of request.lines) {
    const price = priced.get(line.lineId)
    const amount = given.get(line.lineId)
    const leveled = price === undefined ? null : levelLine(line, price, homeCount, currency)
    for (const flag of leveled?.flags ?? []) flags.add(flag)
    const reason = price === undefined ? 'missing' : price.excluded ? 'excluded' : (leveled?.reason ?? null)
    if (amount !== undefined) parts.push(amount)
    else if (leveled !== null && leveled.amount !== null) parts.push(leveled.amount)
    else if (reason !== null && isGap(line, reason, isItemized && bid.lines.length > 0))
      gaps.push({ lineId: line.lineId, reason })
    if (price !== undefined && !price.excluded) lineAmounts.set(line.lineId, amount ?? leveled?.amount ?? null)
  }
  // Items that are not in the request are part of the vendor's price, except alternates.
  const requested = new Set(request.lines.map((line) => line.lineId))
  for (const line of bid.lines)
    if (!requested.has(line.lineId)) {
      if (line.alternate) flags.add('alternate')
      else parts.push(multiply(line.amount ?? 0, homeCount, currency))
    }

  if (bid.homeId !== null && request.homeIds.length > 1) flags.add('part_of_homes')
  if (bid.exclusions !== null && bid.exclusions.trim() !== '') {
    flags.add('exclusions')
    if (!given.has(null)) gaps.push({ lineId: null, reason: 'exclusions' })
  }
  const exclusions = given.get(null)
  if (exclusions !== undefined) parts.push(exclusions)
  return { subtotal: sum(parts), gaps, lineAmounts, flags: [...flags] }
}

/**
 * Returns whether a line is a gap in the bid. An optional line without a price is not a gap. A price that cannot be
 * compared is always a gap.
 */
function isGap(line: BidRequestLine, reason: BidGap['reason'], isItemized: boolean): boolean {
  return reason === 'missing' || reason === 'excluded' ? line.required && isItemized : true
}

interface LeveledLine {
  amount: number | null
  reason: BidGap['reason'] | null
  flags: BidFlag[]
}

function levelLine(line: BidRequestLine, price: BidLine, homeCount: number, currency: string): LeveledLine {
  if (price.excluded || price.unitPrice === null || price.amount === null)
    return { amount: null, reason: 'excluded', flags: [] }
  const flags: BidFlag[] = []
  if (price.alternate) flags.push('alternate')
  if (!isSameUnit(price.unit, line.unit)) flags.push('unit_differs')
  const factor = findUnitFactor(price.unit, line.unit)
  const quantity = factor === null ? null : factor.times(price.quantity)
  if (quantity !== null && !quantity.eq(line.quantity)) flags.push('quantity_differs')
  if (price.alternate) return { amount: null, reason: 'alternate', flags }
  if (factor === null || quantity === null) return { amount: null, reason: 'unit_differs', flags }
  if (quantity.eq(line.quantity)) return { amount: multiply(price.amount, homeCount, currency), reason: null, flags }
  // A bid for one home may price the home's share of the requested quantity. If the quantity is different, assume that
  // the price is for one home and the entire line. A bid for less work therefore never becomes the lowest.
  const isShare = homeCount > 1 && quantity.times(homeCount).eq(line.quantity)
  const whole = new Big(line.quantity).times(price.unitPrice).div(factor)
  return { amount: roundMoney(isShare ? whole : whole.times(homeCount), currency), reason: null, flags }
}

function multiply(amount: number, count: number, currency: string): number {
  return count === 1 ? amount : roundMoney(new Big(amount).times(count), currency)
}
