import type { SplitAwardResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { sum } from '../../../platform/values/money.ts'

export async function splitAward(input: Checked['SplitAwardInput'], call: Call): Promise<SplitAwardResult> {
  const { bidRequestId, awards, createPurchaseOrders, homeId, reason } = input
  const more = { ...(homeId !== undefined && { homeId }), ...(reason !== undefined && { reason }) }
  const created: SplitAwardResult['awards'] = []
  for (const [i, { bidId, lineIds }] of awards.entries()) {
    const offered = await call.operation('getBid', { bidId })
    if (offered.bidRequestId !== bidRequestId)
      throw validationFailed([
        { pointer: `/awards/${i}/bidId`, code: 'conflict', message: 'must be a bid on this bid request' },
      ])
    const choice = { lineIds, rejectOthers: false, createPurchaseOrder: createPurchaseOrders }
    const bid = await call.operation('acceptBid', { bidId, ...choice, ...more })
    const { companyName } = await call.operation('getVendor', { vendorId: bid.vendorId })
    const won = bid.lines.filter(({ lineId }) => lineIds.includes(lineId))
    created.push({
      ...{ bidId, vendorId: bid.vendorId, vendor: companyName, lineIds },
      amount: sum(won.map(({ amount }) => amount ?? 0)),
      poId: bid.purchaseOrder?.id ?? null,
    })
  }
  const { lines } = await call.operation('getBidRequest', { bidRequestId })
  const taken = new Set(awards.flatMap(({ lineIds }) => lineIds))
  return {
    ...{ bidRequestId, awards: created, amount: sum(created.map(({ amount }) => amount)) },
    openLineIds: lines.map(({ lineId }) => lineId).filter((lineId) => !taken.has(lineId)),
  }
}
