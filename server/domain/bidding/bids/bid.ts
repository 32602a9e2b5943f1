import type { Bid, BidRequest, BidStatus } from '../../../../client/contract.gen.ts'

/**
 * The allowed status changes of a bid. After a bid is submitted, the builder accepts or rejects it, the vendor
 * withdraws it, or it expires. An award can be revoked.
 */
export const BID_MOVES: Readonly<Record<BidStatus, readonly BidStatus[]>> = {
  submitted: ['accepted', 'rejected', 'withdrawn', 'expired'],
  accepted: ['rejected'],
  rejected: [],
  withdrawn: [],
  expired: [],
}

/** A vendor has at most one bid with these statuses for a bid request, or for each of its homes. */
export const LIVE_STATUSES: readonly BidStatus[] = ['submitted', 'accepted']

/** Returns whether the last day of the bid's validity has passed. */
export function hasBidExpired(bid: { expiresAt: string | null }, now: Date): boolean {
  return bid.expiresAt !== null && Date.parse(bid.expiresAt) <= now.getTime()
}

type BidOffer = Pick<Bid, 'homeId' | 'lines' | 'awardedLineIds'>
type RequestedWork = Pick<BidRequest, 'homeIds' | 'lines'>

/**
 * Returns the work that accepting the bid would award: pairs of a home and a line, as texts that can be compared. A bid
 * without a home covers all homes, and a bid without lines covers all lines. Two bids can both be awarded if they have
 * no pair in common.
 */
export function listAwardableWork(bid: BidOffer, request: RequestedWork): string[] {
  const homes = bid.homeId !== null ? [bid.homeId] : request.homeIds.length > 0 ? request.homeIds : ['any']
  const lines = request.lines
    .map((line) => line.lineId)
    .filter((lineId) => bid.lines.length === 0 || isLineAwarded(bid, lineId))
  return homes.flatMap((home) => lines.map((line) => `${home} ${line}`))
}

/**
 * Returns whether the line is included in an award of the bid. The bid must offer the line. If no lines were awarded
 * separately, the award includes all lines except alternates.
 */
export function isLineAwarded(bid: Pick<Bid, 'lines' | 'awardedLineIds'>, lineId: string): boolean {
  const line = bid.lines.find((candidate) => candidate.lineId === lineId)
  if (line === undefined || line.excluded) return false
  return bid.awardedLineIds === null ? !line.alternate : bid.awardedLineIds.includes(lineId)
}

/**
 * Returns whether at least a part of the bid's work has not been awarded yet. A lump sum can be awarded only as a
 * whole.
 */
export function canStillBeAwarded(bid: BidOffer, request: RequestedWork, taken: ReadonlySet<string>): boolean {
  const requested = listAwardableWork(bid, request)
  return bid.lines.length === 0
    ? !requested.some((pair) => taken.has(pair))
    : requested.some((pair) => !taken.has(pair))
}
