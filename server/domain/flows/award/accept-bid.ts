import type { BidAwarded, BidRequest, FieldError, Home, Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { conflict, problem, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { isAmountHidden, SEALED_MESSAGES } from '../../bidding/bid-requests/bid-request.ts'
import { awardBidRequest, closeIfDue, recordRequestUpdate } from '../../bidding/bid-requests/change-bid-request.ts'
import type { BidRequestRow } from '../../bidding/bid-requests/queries.ts'
import * as bidRequests from '../../bidding/bid-requests/queries.ts'
import { canStillBeAwarded, hasBidExpired, isLineAwarded, listAwardableWork } from '../../bidding/bids/bid.ts'
import { changeBidStatus, recordBidAccepted, recordBidRejected } from '../../bidding/bids/change-bid-status.ts'
import type { BidRow } from '../../bidding/bids/queries.ts'
import * as bids from '../../bidding/bids/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import { draftOrderFromBid } from '../../paying/purchase-orders/draft-order.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { findEngagementObstacle, type Obstacle } from '../../vendors/vendors/vendor.ts'

/**
 * Awards a bid: accepts the bid, rejects the bids that cannot be awarded anymore, awards the request, and, if
 * requested, drafts the purchase order. Locks the request's row before it decides. If several requests award bids
 * concurrently, only the first finds the bid request open, and the others find it awarded. Locks the home, the request,
 * the bid, and the vendor, in this order.
 */
export async function acceptBid(call: WriteCall, bidId: string, requested: Checked['BidAccept']): Promise<BidAwarded> {
  const { rejectOthers, createPurchaseOrder, reason = null } = requested
  const seen = await bids.find(call, bidId)
  const home = createPurchaseOrder ? await lockOrderHome(call, seen, requested.homeId) : null
  if (!createPurchaseOrder && requested.homeId !== undefined) {
    throw validationFailed([{ pointer: '/homeId', code: 'unexpected', message: 'requires createPurchaseOrder' }])
  }
  const { request, bid, standing, vendor } = await lockForAward(call, seen)
  const awardedLineIds = chooseAwardedLines(request, bid, requested)
  const accepted = standing.filter(({ status }) => status === 'accepted')
  const awardedAlternates = chooseAlternates(bid, requested)
  const winner = { ...bid, awardedLineIds, awardedAlternates }
  const obstacle = findAwardObstacle(call, request, winner, accepted, vendor)
  if (obstacle !== null) throw conflict(obstacle.code, obstacle.message)

  const order = home === null ? null : await draftOrderFromBid(call, { home, vendor, bid: winner, request })
  const losers = rejectOthers ? listLosers(request, winner, standing) : []
  const isAwarded = request.status === 'awarded'
  const after = await changeBidStatus(call, bid, 'accepted', reason, { awardedLineIds, awardedAlternates })
  const counting = isAwarded
    ? await bidRequests.bumpVersion(call, request.id)
    : await bidRequests.find(call, request.id)
  await recordBidAccepted(call, bid, after)
  for (const loser of losers)
    await recordBidRejected(call, loser, await changeBidStatus(call, loser, 'rejected', 'Another bid was accepted.'))
  if (isAwarded) await recordRequestUpdate(call, request, counting)
  else await awardBidRequest(call, counting, reason)
  const awarded = await bids.find(call, bidId)
  if (order !== null) await recordEvent(call, 'po.created', order)
  return { ...bids.toBid(call, awarded), purchaseOrder: order }
}

interface LockedBid {
  request: BidRequestRow
  bid: BidRow
  /** All bids of the request that are submitted or accepted. */
  standing: BidRow[]
  vendor: Vendor
}

/** Locks all records that an award changes or depends on. */
async function lockForAward(call: WriteCall, { id, bidRequestId, vendorId }: BidRow): Promise<LockedBid> {
  const request = await closeIfDue(call, await bidRequests.lock(call, bidRequestId))
  const bid = await bids.lock(call, id)
  const standing = await bids.listBidsOfRequest(call, bidRequestId, ['accepted', 'submitted'])
  const vendor = await vendors.lock(call, vendorId)
  return { request, bid, standing, vendor }
}

async function lockOrderHome(call: WriteCall, bid: BidRow, provided: string | undefined): Promise<Home> {
  if (!call.permissions.has('pos:write')) {
    throw problem('permission_denied', 'Creating the purchase order requires pos:write.', { permission: 'pos:write' })
  }
  // The homes of a bid request with bids cannot change, so they can be read without a lock.
  const { homeIds } = await bidRequests.find(call, bid.bidRequestId)
  const homeId = chooseOrderHome(bid, homeIds, provided)
  const home = await homes.findOptional(call, homeId)
  if (home === undefined) throw unknownReference(['/homeId'])
  if (home.communityId !== bid.communityId) {
    throw validationFailed([
      { pointer: '/homeId', code: 'community', message: 'must be a home in the community of the bid request' },
    ])
  }
  return homes.lock(call, homeId)
}

function chooseOrderHome(bid: BidRow, homeIds: readonly string[], provided: string | undefined): string {
  const [only] = homeIds
  const bound = bid.homeId ?? (homeIds.length === 1 ? only : undefined)
  if (bound !== undefined) {
    if (provided === undefined || provided === bound) return bound
    throw validationFailed([
      { pointer: '/homeId', code: 'other_home', message: `must be ${bound}, the home of the bid, or omitted` },
    ])
  }
  if (homeIds.length > 1) {
    throw conflict(
      'missing_data',
      'Cannot create the purchase order: the bid covers several homes together. Accept the bid without an order, then use createPurchaseOrder for each home.',
    )
  }
  if (provided === undefined)
    throw conflict(
      'missing_data',
      'Cannot create the purchase order: the bid covers the whole community. Set homeId to the home that the order is for.',
    )
  return provided
}

/** Returns the IDs of the awarded lines; null if the award includes all lines of the bid except alternates. */
function chooseAwardedLines(request: BidRequestRow, bid: BidRow, requested: Checked['BidAccept']): string[] | null {
  const chosen = chooseBaseLines(request, bid, requested.lineIds)
  const { alternateLineIds } = requested
  if (alternateLineIds === undefined) return chosen
  const offered = new Set(
    bid.lines.flatMap(({ lineId, alternate, excluded }) => (alternate && !excluded ? lineId : [])),
  )
  const errors: FieldError[] = alternateLineIds.flatMap((lineId, i) =>
    offered.has(lineId)
      ? []
      : [{ pointer: `/alternateLineIds/${i}`, code: 'unknown_line', message: 'is not an alternate line of this bid' }],
  )
  if (errors.length > 0) throw validationFailed(errors)
  const base = chosen ?? bid.lines.map(({ lineId }) => lineId).filter((lineId) => isLineAwarded(bid, lineId))
  return [...base, ...alternateLineIds]
}

/** Returns the positions of the awarded alternates; null if there are none. */
function chooseAlternates({ alternates }: BidRow, { alternates: chosen }: Checked['BidAccept']): number[] | null {
  if (chosen === undefined) return null
  const errors: FieldError[] = chosen.flatMap((position, i) =>
    position < alternates.length
      ? []
      : [{ pointer: `/alternates/${i}`, code: 'unknown_alternate', message: 'is not the position of an alternate' }],
  )
  if (errors.length > 0) throw validationFailed(errors)
  return [...chosen].sort((a, b) => a - b)
}

function chooseBaseLines(request: BidRequestRow, bid: BidRow, lineIds: string[] | undefined): string[] | null {
  if (lineIds === undefined) return null
  if (request.awardMode !== 'split') {
    throw validationFailed([
      { pointer: '/lineIds', code: 'split', message: 'requires a bid request whose awardMode is split' },
    ])
  }
  const errors: FieldError[] = lineIds.flatMap((lineId, i) =>
    isLineAwarded({ ...bid, awardedLineIds: null }, lineId)
      ? []
      : [
          {
            pointer: `/lineIds/${i}`,
            code: 'unknown_line',
            message: 'is not a line with a price in this bid; alternates belong in alternateLineIds',
          },
        ],
  )
  if (errors.length > 0) throw validationFailed(errors)
  return lineIds
}

/**
 * Returns the reason why the bid cannot be awarded; null if there is none. Does not check the status of the bid, which
 * the status change checks.
 */
function findAwardObstacle(
  call: WriteCall,
  request: BidRequestRow,
  bid: BidRow,
  accepted: readonly BidRow[],
  vendor: Vendor,
): Obstacle | null {
  const { number, status, awardMode } = request
  if (status === 'draft' || status === 'cancelled')
    return {
      code: 'wrong_status',
      message: `Cannot award the bid: ${number} is ${status === 'draft' ? 'a draft' : 'canceled'}.`,
    }
  if (status === 'awarded' && awardMode === 'single')
    return { code: 'already_awarded', message: `Cannot award the bid: ${number} is already awarded.` }
  if (isAmountHidden(call, request)) return { code: 'bids_sealed', message: SEALED_MESSAGES.award(number) }
  if (bid.status !== 'submitted') return null
  if (hasBidExpired(bid, call.now)) {
    const until = bid.validUntil === null ? '' : ` It was valid until ${formatDate(bid.validUntil)}.`
    return { code: 'bid_expired', message: `Cannot award the bid: it has expired.${until}` }
  }
  const obstacle = findEngagementObstacle(vendor)
  if (obstacle !== null) return { ...obstacle, message: `Cannot award the bid. ${obstacle.message}` }
  const taken = listAwardedWork(accepted, request)
  const twice = new Set(listAwardableWork(bid, request).filter((pair) => taken.has(pair)))
  if (twice.size === 0) return null
  const lines = request.lines.filter((line) => [...twice].some((pair) => pair.endsWith(` ${line.lineId}`)))
  const won = lines.map((line) => `"${line.lineId}"`).join(', ')
  return {
    code: 'already_awarded',
    message: `Another bid has already been awarded these lines: ${won}. Set lineIds to other lines.`,
  }
}

function listAwardedWork(accepted: readonly BidRow[], request: Pick<BidRequest, 'homeIds' | 'lines'>): Set<string> {
  return new Set(accepted.flatMap((bid) => listAwardableWork(bid, request)))
}

/** Returns the bids that can no longer be awarded any work after this award. */
function listLosers(request: BidRequestRow, winner: BidRow, standing: readonly BidRow[]): BidRow[] {
  const others = standing.filter(({ id }) => id !== winner.id)
  const taken = listAwardedWork([...others.filter(({ status }) => status === 'accepted'), winner], request)
  return others.filter(
    (bid) => bid.status === 'submitted' && !(request.awardMode === 'split' && canStillBeAwarded(bid, request, taken)),
  )
}
