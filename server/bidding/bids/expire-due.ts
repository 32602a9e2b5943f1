import type { Database } from '../../database/database.ts'
import { callWithoutKey, type Surroundings } from '../../http/call.ts'
import { lockBidRequest, touchBidRequest } from '../bid-requests/changes.ts'
import { hasRunOut } from './bid.ts'
import { move } from './move.ts'
import * as bids from './queries.ts'

// One run takes care of this many, so that a great many that run out together neither fill the memory nor keep other
// work waiting; the next run follows a second later.
const MOST_AT_ONCE = 100

/**
 * Expires the submitted bids whose last day is over. Called about once a second in every process: while nothing is due it
 * is one look into an index, and of several processes one finds a bid still submitted.
 */
export async function expireBids(database: Database, surroundings: Surroundings): Promise<void> {
  const now = surroundings.clock.now()
  for (const { organizationId, id } of await bids.due(database.statements, now, MOST_AT_ONCE)) {
    const call = await callWithoutKey(surroundings, database, organizationId)
    await call.write(async (trx) => {
      const { bidRequestId } = await bids.find(trx, organizationId, id)
      await lockBidRequest(trx, call, bidRequestId)
      const bid = await bids.lock(trx, organizationId, id)
      if (bid.status !== 'submitted' || !hasRunOut(bid, call.now)) return
      await move(trx, call, bid, 'expired', `It held until ${bid.validUntil}.`)
      await touchBidRequest(trx, call, bidRequestId)
    })
  }
}
