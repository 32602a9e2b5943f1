import type { Bid, BidRequest, BidStatus } from '../../../../client/contract.gen.ts'

/**
 * The status changes of a bid: submitted, then accepted or rejected by the builder, withdrawn by the vendor, or
 * expired. An award can be revoked.
 */
export const BID_MOVES: Readonly<Record<BidStatus, readonly BidStatus[]>> = {
  submitted: ['accepted', 'rejected', 'withdrawn', 'expired'],
  accepted: ['rejected'],
  rejected: [],
  withdrawn: [],
  expired: [],
}

/** A vendor has at most one bid in these statuses for a request or for one of its homes. */
export const LIVE_STATUSES: readonly BidStatus[] = ['submitted', 'accepted']

/** Returns whether the last day on which the bid is valid has passed. */
export function hasExpired(bid: { expiresAt: string | null }, now: Date): boolean {
  return bid.expiresAt !== null && Date.parse(bid.expiresAt) <= now.getTime()
}

type BidOffer = Pick<Bid, 'homeId' | 'lines' | 'awardedLineIds'>
type RequestedWork = Pick<BidRequest, 'homeIds' | 'lines'>

/**
 * Returns what a bid wins of a request if accepted: pairs of a home and a line, as comparable strings. A bid without a
 * home covers all homes; a bid without lines covers all lines. Two bids can both win if they have no pair in common.
 */
export function listTakenWork(bid: BidOffer, request: RequestedWork): string[] {
  const homes = bid.homeId !== null ? [bid.homeId] : request.homeIds.length > 0 ? request.homeIds : ['any']
  const lines = request.lines
    .map((line) => line.lineId)
    .filter((lineId) => bid.lines.length === 0 || isLineAwarded(bid, lineId))
  return homes.flatMap((home) => lines.map((line) => `${home} ${line}`))
}

/** Returns whether the bid offers the line and, if the award names lines, wins it. */
export function isLineAwarded(bid: Pick<Bid, 'lines' | 'awardedLineIds'>, lineId: string): boolean {
  const line = bid.lines.find((candidate) => candidate.lineId === lineId)
  if (line === undefined || line.excluded) return false
  return bid.awardedLineIds === null || bid.awardedLineIds.includes(lineId)
}

/**
 * Returns whether a bid that was not accepted can still win a part that is not awarded. A lump sum can only be won as a
 * whole.
 */
export function canStillWin(bid: BidOffer, request: RequestedWork, taken: ReadonlySet<string>): boolean {
  const requested = listTakenWork(bid, request)
  return bid.lines.length === 0
    ? !requested.some((pair) => taken.has(pair))
    : requested.some((pair) => !taken.has(pair))
}
