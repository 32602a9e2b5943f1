import type { Services } from '../../../platform/calls/call.ts'
import { settleDueItems } from '../../../platform/due/settle-due.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { bumpBidRequestVersion, lockBidRequest } from '../bid-requests/change-bid-request.ts'
import * as requests from '../bid-requests/queries.ts'
import { hasExpired } from './bid.ts'
import { moveBid } from './move-bid.ts'
import * as bids from './queries.ts'

/**
 * Expires the submitted bids whose last day has passed, each under the lock of its request, like every change of a
 * bid's status.
 */
export async function expireBids(services: Services): Promise<void> {
  await settleDueItems(services, {
    what: 'bids to expire',
    find: bids.findExpiredBids,
    claim: requests.lockAvailableRequests,
    async settle(call, bidRequestId, ids) {
      await lockBidRequest(call, bidRequestId)
      let moved = 0
      for (const id of ids) {
        const bid = await bids.lock(call, id)
        if (bid.status !== 'submitted' || !hasExpired(bid, call.now)) continue
        await moveBid(
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
