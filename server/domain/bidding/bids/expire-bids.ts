import type { Services } from '../../../platform/calls/call.ts'
import { processDueItems } from '../../../platform/due/process-due-items.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { bumpBidRequestVersion, lockBidRequest } from '../bid-requests/change-bid-request.ts'
import * as requests from '../bid-requests/queries.ts'
import { hasBidExpired } from './bid.ts'
import { changeBidStatus } from './change-bid-status.ts'
import * as bids from './queries.ts'

/**
 * Expires the submitted bids whose last valid day has passed. Locks the bid request first, like every change of a bid's
 * status.
 */
export async function expireBids(services: Services): Promise<void> {
  await processDueItems(services, {
    what: 'bids to expire',
    find: bids.findExpiredBids,
    claim: requests.lockAvailableBidRequests,
    async settle(call, bidRequestId, ids) {
      await lockBidRequest(call, bidRequestId)
      let moved = 0
      for (const id of ids) {
        const bid = await bids.lock(call, id)
        if (bid.status !== 'submitted' || !hasBidExpired(bid, call.now)) continue
        await changeBidStatus(
          call,
          bid,
          'expired',
          bid.validUntil === null ? 'The bid expired.' : `The bid was valid until ${formatDate(bid.validUntil)}.`,
        )
        moved++
      }
      if (moved > 0) await bumpBidRequestVersion(call, bidRequestId)
    },
  })
}
