import type { BidComparison } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import * as requests from '../bid-requests/queries.ts'
import { compareBids } from './compare-bids.ts'
import * as comparison from './queries.ts'
import { setBidLeveling } from './set-bid-leveling.ts'

export const comparisonOperations = {
  async compareBids({ path }, call) {
    return { status: 200, body: await readComparison(call, path.bidRequestId) }
  },

  async setBidLeveling({ path, body }, call) {
    const leveled = await call.write(async (call) =>
      readComparison(call, await setBidLeveling(call, path.bidId, body.amounts)),
    )
    return { status: 200, body: leveled }
  },
} satisfies Partial<Handlers>

async function readComparison(call: Call, bidRequestId: string): Promise<BidComparison> {
  const request = requests.toBidRequest(call, await requests.find(call, bidRequestId))
  const bids = await comparison.listComparedBids(call, request.id)
  const budgets = await comparison.findBudgets(call, request)
  const vendorIds = [...new Set([...request.vendorIds, ...bids.map((bid) => bid.vendorId)])]
  const found = await vendors.findAll(call, vendorIds)
  return compareBids(request, found, bids, budgets, call)
}
