import type { Bill, PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { subtract } from '../../../platform/values/money.ts'
import type { NewPosting } from '../../ledger/posting.ts'
import { recordPostings } from '../../ledger/record-postings.ts'
import { spreadAmount } from '../../ledger/spread-amount.ts'
import { divideOverLines, loadUnbilledAmounts } from './divide-over-lines.ts'

/**
 * Posts an approved bill on its postingDate. Unbilled work becomes payable, except for the withheld retainage. A line
 * without an order is posted as a cost.
 *
 * @param orders the orders that the bill lines refer to
 */
export async function postBill(call: WriteCall, bill: Bill, orders: readonly PurchaseOrder[]): Promise<void> {
  const byId = new Map(orders.map((order) => [order.id, order]))
  const poIds = [...new Set(bill.lines.flatMap(({ poId }) => poId ?? []))]
  const unbilled = await loadUnbilledAmounts(call, poIds)
  const shared = { vendorId: bill.vendorId, billId: bill.id, effectiveDate: bill.postingDate }
  const postings = bill.lines.flatMap((line): NewPosting[] => {
    const order = line.poId === null ? undefined : byId.get(line.poId)
    if (line.poId !== null && order === undefined) throw new Error('Expected the orders of all bill lines.')
    if (order === undefined) {
      const { homeId, costCodeId, amount, retainageWithheld } = line
      return toPostings({ ...shared, homeId, costCodeId }, 'cost', amount, amount, retainageWithheld)
    }
    const shares = divideOverLines(line, order, unbilled, bill.currency)
    const retained = spreadAmount(
      line.retainageWithheld,
      shares.map(({ amount }) => amount),
      bill.currency,
    )
    return shares.flatMap(({ line: { lineId, costCodeId }, amount }, i) => {
      const { id: poId, homeId, scope } = order
      const key = { ...shared, homeId, scope, costCodeId, poId, poLineId: lineId }
      return toPostings(key, 'unbilled', subtract(0, amount), amount, retained[i] ?? 0)
    })
  })
  await recordPostings(call, { postings, note: `${bill.number} was approved.` })
}

function toPostings(
  key: Omit<NewPosting, 'measure' | 'amount'>,
  measure: 'cost' | 'unbilled',
  amount: number,
  gross: number,
  retainage: number,
): NewPosting[] {
  return [
    { ...key, measure, amount },
    { ...key, measure: 'payable', amount: subtract(gross, retainage) },
    { ...key, measure: 'retainage', amount: retainage },
  ]
}
