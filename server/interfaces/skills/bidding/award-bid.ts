import type { AwardBidInput, AwardBidResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { readAllPages } from '../frame/read-all-pages.ts'
import type { WorkLimit } from '../frame/work-limit.ts'

/** Awards a bid with the operation acceptBid and returns all consequences of the award in one response. */
export async function awardBid(input: AwardBidInput, call: Call, workLimit: WorkLimit): Promise<AwardBidResult> {
  const { purchaseOrder, ...bid } = await call.operation('acceptBid', { ...input })
  const rejectedBidIds: string[] = []
  const rejected = { bidRequestId: bid.bidRequestId, status: 'rejected' }
  for await (const bids of readAllPages(call, workLimit, 'listBids', rejected)) {
    // The current time does not change during a call, so all bids with this decision time were decided by this award.
    rejectedBidIds.push(...bids.filter(({ decidedAt }) => decidedAt === bid.decidedAt).map(({ id }) => id))
  }
  return { bid, rejectedBidIds, purchaseOrder }
}
