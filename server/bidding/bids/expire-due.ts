import type { Surroundings } from '../../http/call.ts'
import { systemCall } from '../../keys/principals.ts'
import { lockBidRequest, touchBidRequest } from '../bid-requests/changes.ts'
import { hasRunOut } from './bid.ts'
import { move } from './move.ts'
import * as bids from './queries.ts'

// A bound for one run, so that a great many bids expiring together neither fill the memory nor hold up other work; the
// next run follows a second later.
const MOST_AT_ONCE = 100

/**
 * Expires the submitted bids whose last day is over. Called about once a second in every process: while nothing is due
 * it is one index look-up, and of several processes only one still finds a bid submitted.
 */
export async function expireBids(surroundings: Surroundings): Promise<void> {
  const now = surroundings.clock.now()
  for (const { organizationId, id } of await bids.due(surroundings.database.statements, now, MOST_AT_ONCE)) {
    const call = await systemCall(surroundings, organizationId)
    await call.write(async (call) => {
      const { bidRequestId } = await bids.find(call, id)
      await lockBidRequest(call, bidRequestId)
      const bid = await bids.lock(call, id)
      if (bid.status !== 'submitted' || !hasRunOut(bid, call.now)) return
      await move(call, bid, 'expired', `It was valid until ${bid.validUntil}.`)
      await touchBidRequest(call, bidRequestId)
    })
  }
}
