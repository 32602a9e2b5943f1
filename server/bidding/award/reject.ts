import type { Bid } from '../../../client/contract.gen.ts'
import type { Db } from '../../database/database.ts'
import type { Call } from '../../http/call.ts'
import { problem } from '../../http/problem.ts'
import { ORDERED } from '../../paying/order-statuses.ts'
import * as orders from '../../paying/purchase-orders/queries.ts'
import { voidOrder } from '../../paying/purchase-orders/status.ts'
import { lockBidRequest, recordChange, revokeAward, touchBidRequest } from '../bid-requests/changes.ts'
import * as bidRequests from '../bid-requests/queries.ts'
import { move, tellRejected } from '../bids/move.ts'
import type { BidRow } from '../bids/queries.ts'
import * as bids from '../bids/queries.ts'

/** Turns a submitted bid down, or takes the award of an accepted one back. */
export async function reject(trx: Db, call: Call, bidId: string, reason: string | null): Promise<Bid> {
  const { bidRequestId } = await bids.find(trx, call.organizationId, bidId)
  await lockBidRequest(trx, call, bidRequestId)
  const bid = await bids.lock(trx, call.organizationId, bidId)
  if (bid.status === 'accepted') await revoke(trx, call, bid, reason)
  else {
    await tellRejected(trx, call, bid, await move(trx, call, bid, 'rejected', reason))
    await touchBidRequest(trx, call, bidRequestId)
  }
  return bids.toBid(await bids.find(trx, call.organizationId, bidId))
}

/**
 * An award holds once it was ordered. Until then its orders are voided with it, and the request is open for another
 * award, unless it was split and something of it is still awarded.
 */
async function revoke(trx: Db, call: Call, bid: BidRow, reason: string | null): Promise<void> {
  const ordered = (await orders.lockOfBid(trx, call.organizationId, bid.id)).filter((order) => order.status !== 'void')
  const standing = ordered.find((order) => ORDERED.includes(order.status))
  if (standing !== undefined) throw problem('conflict', `${standing.number} was issued to the vendor; void it first.`)
  if (ordered.length > 0 && !call.permissions.has('pos:write')) {
    throw problem('permission_denied', 'Voiding the purchase order of the award needs pos:write.', {
      permission: 'pos:write',
    })
  }
  await tellRejected(trx, call, bid, await move(trx, call, bid, 'rejected', reason, { awardedLineIds: null }))
  for (const order of ordered) await voidOrder(trx, call, order, 'The award was revoked.')

  const others = await bids.ofRequest(trx, call.organizationId, bid.bidRequestId, ['accepted'])
  if (others.length === 0) await revokeAward(trx, call, bid.bidRequestId, reason)
  else {
    const before = await bidRequests.find(trx, call.organizationId, bid.bidRequestId)
    await recordChange(trx, call, before, await bidRequests.touch(trx, call, bid.bidRequestId))
  }
}
