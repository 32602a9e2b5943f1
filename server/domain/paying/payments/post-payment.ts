import type { Payment, PaymentAllocation, PurchaseOrder, PurchaseOrderLine } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { divide, minus, sum } from '../../../platform/values/money.ts'
import { toPostingDate } from '../../ledger/period.ts'
import type { NewPosting } from '../../ledger/posting.ts'
import { recordPostings } from '../../ledger/record-postings.ts'
import { keyOf } from '../purchase-orders/post-order.ts'

interface Part {
  order: PurchaseOrder
  line: PurchaseOrderLine
  /** What is paid of it, the discount included. */
  net: number
}

/**
 * Posts a payment that was made: the debt goes down by what it settles, and the difference between that and the money
 * is the discount. A release pays retainage; everything else pays what is payable, which a deposit makes negative.
 *
 * @param paid the orders of its allocations
 */
export async function postPayment(call: WriteCall, payment: Payment, paid: readonly PurchaseOrder[]): Promise<void> {
  const orders = new Map(paid.map((order) => [order.id, order]))
  const parts = payment.allocations.flatMap((allocation) => partsOf(allocation, orders.get(allocation.poId)))
  const discounts = spread(
    payment.discountTaken,
    parts.map(({ net }) => net),
  )
  const effectiveDate = await toPostingDate(call, payment.paidDate ?? dateIn(call.timeZone, call.now))
  const debt = payment.paymentType === 'retainage_release' ? 'retainage' : 'payable'
  const postings = parts.flatMap(({ order, line, net }, i): NewPosting[] => {
    const shared = { ...keyOf(order, line), paymentId: payment.id, effectiveDate }
    const discount = discounts[i] ?? 0
    return [
      { ...shared, measure: debt, amount: minus(0, net) },
      { ...shared, measure: 'paid', amount: minus(net, discount) },
      { ...shared, measure: 'discount', amount: discount },
    ]
  })
  await recordPostings(call, { postings, note: `${payment.number} was paid.` })
}

/** The lines that an allocation pays: the one that it names, or all in proportion to what is done, else ordered. */
function partsOf({ lineId, amount, retainageWithheld }: PaymentAllocation, order: PurchaseOrder | undefined): Part[] {
  if (order === undefined) throw new Error('Expected the orders of all allocations of a payment.')
  const lines = lineId === null ? order.lines : order.lines.filter((line) => line.lineId === lineId)
  const done = lines.map(({ completedAmount }) => completedAmount)
  const weights = sum(done) === 0 ? lines.map(({ total, taxAmount }) => sum([total, taxAmount])) : done
  const nets = spread(minus(amount, retainageWithheld), weights)
  return lines.map((line, i) => ({ order, line, net: nets[i] ?? 0 }))
}

/** Divides an amount in proportion to the weights, whose signs may differ; all to the first if they add up to nothing. */
function spread(amount: number, weights: readonly number[]): number[] {
  if (sum(weights) === 0) return weights.map((_, i) => (i === 0 ? amount : 0))
  return divide(amount, weights)
}
