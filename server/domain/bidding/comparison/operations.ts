import type { Handlers } from '../../../platform/calls/operation.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import * as requests from '../bid-requests/queries.ts'
import { compareBids } from './compare-bids.ts'
import * as comparison from './queries.ts'

export const comparisonOperations = {
  async compareBids({ path }, call) {
    const request = requests.toBidRequest(call, await requests.find(call, path.bidRequestId))
    const bids = await comparison.listComparedBids(call, request.id)
    const budgets = await comparison.findBudgets(call, request)
    const everybody = [...new Set([...request.vendorIds, ...bids.map((bid) => bid.vendorId)])]
    const found = await vendors.findAll(call, everybody)
    return { status: 200, body: compareBids(request, found, bids, budgets, call) }
  },
} satisfies Partial<Handlers>
