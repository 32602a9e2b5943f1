import type { Surroundings } from '../../../platform/calls/call.ts'
import { settleDue } from '../../../platform/due/settle-due.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { lockBidRequest, touchBidRequest } from '../bid-requests/changes.ts'
import * as requests from '../bid-requests/queries.ts'
import { hasRunOut } from './bid.ts'
import { move } from './move.ts'
import * as bids from './queries.ts'

/**
 * Expires the submitted bids whose last day has passed, each under the lock of its request, like every change of a
 * bid's status.
 */
export async function expireBids(surroundings: Surroundings): Promise<void> {
  await settleDue(surroundings, {
    what: 'bids to expire',
    find: bids.due,
    claim: requests.lockUnlocked,
    async settle(call, bidRequestId, ids) {
      await lockBidRequest(call, bidRequestId)
      let moved = 0
      for (const id of ids) {
        const bid = await bids.lock(call, id)
        if (bid.status !== 'submitted' || !hasRunOut(bid, call.now)) continue
        await move(
          call,
          bid,
          'expired',
          bid.validUntil === null ? 'The bid expired.' : `The bid was valid until ${formatDate(bid.validUntil)}.`,
        )
        moved++
      }
      if (moved > 0) await touchBidRequest(call, bidRequestId)
    },
  })
}
