import type { AwardBidInput, AwardBidResult } from '../../client/contract.gen.ts'
import type { Call } from '../http/call.ts'
import { everyItem } from './pages.ts'

/** acceptBid does the deciding; this gathers what followed from it into one answer. */
export async function awardBid(input: AwardBidInput, call: Call): Promise<AwardBidResult> {
  const bid = await call.operation('acceptBid', { ...input })
  const rejectedBidIds: string[] = []
  for await (const other of everyItem(call, 'listBids', { bidRequestId: bid.bidRequestId, status: 'rejected' })) {
    // Time stands still during a call, so what was decided at this instant was decided by this award.
    if (other.decidedAt === bid.decidedAt) rejectedBidIds.push(other.id)
  }
  const purchaseOrderId = input.createPurchaseOrder === true ? bid.poIds.at(-1) : undefined
  return {
    bid,
    rejectedBidIds,
    purchaseOrder: purchaseOrderId === undefined ? null : await call.operation('getPurchaseOrder', { purchaseOrderId }),
  }
}
