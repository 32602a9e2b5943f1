import type { Bid } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict, problem } from '../../../platform/problems/problem.ts'
import {
  bumpBidRequestVersion,
  lockBidRequest,
  recordRequestUpdate,
  revokeAward,
} from '../../bidding/bid-requests/change-bid-request.ts'
import * as bidRequests from '../../bidding/bid-requests/queries.ts'
import { changeBidStatus, recordBidRejected } from '../../bidding/bids/change-bid-status.ts'
import type { BidRow } from '../../bidding/bids/queries.ts'
import * as bids from '../../bidding/bids/queries.ts'
import * as contracts from '../../bidding/contracts/queries.ts'
import { voidOrder } from '../../paying/purchase-orders/change-order-status.ts'
import * as orders from '../../paying/purchase-orders/queries.ts'
import { ORDERED_STATUSES } from '../../statuses/order-statuses.ts'

/** Rejects a submitted bid, or revokes the award of an accepted bid. */
export async function rejectBid(call: WriteCall, bidId: string, reason: string | null): Promise<Bid> {
  const { bidRequestId } = await bids.find(call, bidId)
  await lockBidRequest(call, bidRequestId)
  const bid = await bids.lock(call, bidId)
  if (bid.status === 'accepted') await revokeBidAward(call, bid, reason)
  else {
    await recordBidRejected(call, bid, await changeBidStatus(call, bid, 'rejected', reason))
    await bumpBidRequestVersion(call, bidRequestId)
  }
  return bids.toBid(call, await bids.find(call, bidId))
}

/**
 * Revokes an award. Throws `conflict` if the award has an order that is no longer a draft, or a contract. Voids the
 * draft orders of the award. Changes the request back to closed, so that it can be awarded again. If another bid of the
 * request is still accepted, the request stays awarded.
 */
async function revokeBidAward(call: WriteCall, bid: BidRow, reason: string | null): Promise<void> {
  const ordered = (await orders.lockOrdersOfBid(call, bid.id)).filter((order) => order.status !== 'void')
  const standing = ordered.find((order) => ORDERED_STATUSES.includes(order.status))
  if (standing !== undefined)
    throw conflict(
      'in_use',
      `Cannot reject the bid: ${standing.number} has been issued to the vendor. Void the purchase order first.`,
    )
  if (bid.contractId !== null) {
    const { number, status } = await contracts.find(call, bid.contractId)
    const first = status === 'active' ? 'Terminate' : 'Archive'
    throw conflict('in_use', `Cannot reject the bid: it has the contract ${number}. ${first} the contract first.`)
  }
  if (ordered.length > 0 && !call.permissions.has('pos:write')) {
    throw problem('permission_denied', 'Voiding the purchase order of the award requires pos:write.', {
      permission: 'pos:write',
    })
  }
  await recordBidRejected(
    call,
    bid,
    await changeBidStatus(call, bid, 'rejected', reason, { awardedLineIds: null, awardedAlternates: null }),
  )
  for (const order of ordered) await voidOrder(call, order, 'The award was revoked.')

  const others = await bids.listBidsOfRequest(call, bid.bidRequestId, ['accepted'])
  if (others.length === 0) await revokeAward(call, bid.bidRequestId, reason)
  else {
    const before = await bidRequests.find(call, bid.bidRequestId)
    await recordRequestUpdate(call, before, await bidRequests.bumpVersion(call, bid.bidRequestId))
  }
}
