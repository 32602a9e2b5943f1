import type { AwardBidInput, AwardBidResult } from '../../client/contract.gen.ts'
import type { Call } from '../http/call.ts'
import type { Effort } from './effort.ts'
import { everyPage } from './pages.ts'

/** acceptBid makes the decisions; this collects their consequences into one response. */
export async function awardBid(input: AwardBidInput, call: Call, effort: Effort): Promise<AwardBidResult> {
  const bid = await call.operation('acceptBid', { ...input })
  const rejectedBidIds: string[] = []
  const rejected = { bidRequestId: bid.bidRequestId, status: 'rejected' }
  for await (const bids of everyPage(call, effort, 'listBids', rejected)) {
    // The time is fixed during a call, so whatever was decided at this instant was decided by this award.
    rejectedBidIds.push(...bids.filter(({ decidedAt }) => decidedAt === bid.decidedAt).map(({ id }) => id))
  }
  const purchaseOrderId = input.createPurchaseOrder === true ? bid.poIds.at(-1) : undefined
  return {
    bid,
    rejectedBidIds,
    purchaseOrder: purchaseOrderId === undefined ? null : await call.operation('getPurchaseOrder', { purchaseOrderId }),
  }
}
