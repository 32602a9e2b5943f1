import type { AwardBidInput, AwardBidResult } from '../../client/contract.gen.ts'
import type { Call } from '../http/call.ts'
import type { Effort } from './effort.ts'
import { everyPage } from './pages.ts'

/** acceptBid does the deciding; this gathers what followed from it into one answer. */
export async function awardBid(input: AwardBidInput, call: Call, effort: Effort): Promise<AwardBidResult> {
  const bid = await call.operation('acceptBid', { ...input })
  const rejectedBidIds: string[] = []
  const rejected = { bidRequestId: bid.bidRequestId, status: 'rejected' }
  for await (const bids of everyPage(call, effort, 'listBids', rejected)) {
    // Time stands still during a call, so what was decided at this instant was decided by this award.
    rejectedBidIds.push(...bids.filter(({ decidedAt }) => decidedAt === bid.decidedAt).map(({ id }) => id))
  }
  const purchaseOrderId = input.createPurchaseOrder === true ? bid.poIds.at(-1) : undefined
  return {
    bid,
    rejectedBidIds,
    purchaseOrder: purchaseOrderId === undefined ? null : await call.operation('getPurchaseOrder', { purchaseOrderId }),
  }
}
