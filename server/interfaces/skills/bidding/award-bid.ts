import type { AwardBidInput, AwardBidResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Effort } from '../frame/effort.ts'
import { everyPage } from '../frame/pages.ts'

/** acceptBid makes the decisions; this collects their consequences into one response. */
export async function awardBid(input: AwardBidInput, call: Call, effort: Effort): Promise<AwardBidResult> {
  const { purchaseOrder, ...bid } = await call.operation('acceptBid', { ...input })
  const rejectedBidIds: string[] = []
  const rejected = { bidRequestId: bid.bidRequestId, status: 'rejected' }
  for await (const bids of everyPage(call, effort, 'listBids', rejected)) {
    // The time is fixed during a call, so whatever was decided at this instant was decided by this award.
    rejectedBidIds.push(...bids.filter(({ decidedAt }) => decidedAt === bid.decidedAt).map(({ id }) => id))
  }
  return { bid, rejectedBidIds, purchaseOrder }
}
