import type { Payment, PaymentAllocation, PurchaseOrder, PurchaseOrderLine } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { divideAmount, subtract, sum } from '../../../platform/values/money.ts'
import { toPostingDate } from '../../ledger/period.ts'
import type { NewPosting } from '../../ledger/posting.ts'
import { recordPostings } from '../../ledger/record-postings.ts'
import { getKey } from '../purchase-orders/post-order.ts'

interface Part {
  order: PurchaseOrder
  line: PurchaseOrderLine
  /** What is paid of it, the discount and the withheld tax included. */
  net: number
}

/**
 * Posts a payment that was made: the debt goes down by what it settles, and the difference between that and the money
 * is the discount and the tax withheld for the vendor. A release pays retainage; everything else pays what is payable, which a deposit makes negative.
 *
 * @param paid the orders of its allocations
 */
export async function postPayment(call: WriteCall, payment: Payment, paid: readonly PurchaseOrder[]): Promise<void> {
  const orders = new Map(paid.map((order) => [order.id, order]))
  const parts = payment.allocations.flatMap((allocation) =>
    getParts(allocation, orders.get(allocation.poId), payment.currency),
  )
  const nets = parts.map(({ net }) => net)
  const discounts = spread(payment.discountTaken, nets, payment.currency)
  const taxes = spread(payment.backupWithheld, nets, payment.currency)
  const effectiveDate = await toPostingDate(call, payment.paidDate ?? dateIn(call.timeZone, call.now))
  const debt = payment.paymentType === 'retainage_release' ? 'retainage' : 'payable'
  const postings = parts.flatMap(({ order, line, net }, i): NewPosting[] => {
    const shared = { ...getKey(order, line), paymentId: payment.id, effectiveDate }
    const [discount, tax] = [discounts[i] ?? 0, taxes[i] ?? 0]
    return [
      { ...shared, measure: debt, amount: subtract(0, net) },
      { ...shared, measure: 'paid', amount: subtract(net, sum([discount, tax])) },
      { ...shared, measure: 'discount', amount: discount },
      { ...shared, measure: 'withheldTax', amount: tax },
    ]
  })
  await recordPostings(call, { postings, note: `${payment.number} was paid.` })
}

/** The lines that an allocation pays: the one that it names, or all in proportion to what is done, else ordered. */
function getParts(
  { lineId, amount, retainageWithheld }: PaymentAllocation,
  order: PurchaseOrder | undefined,
  currency: string,
): Part[] {
  if (order === undefined) throw new Error('Expected the orders of all allocations of a payment.')
  const lines = lineId === null ? order.lines : order.lines.filter((line) => line.lineId === lineId)
  const done = lines.map(({ completedAmount }) => completedAmount)
  const weights = sum(done) === 0 ? lines.map(({ total, taxAmount }) => sum([total, taxAmount])) : done
  const nets = spread(subtract(amount, retainageWithheld), weights, currency)
  return lines.map((line, i) => ({ order, line, net: nets[i] ?? 0 }))
}

/**
 * Divides an amount in proportion to weights whose signs may differ, such as a line and a credit; all to the first if
 * they add up to nothing.
 */
function spread(amount: number, weights: readonly number[], currency: string): number[] {
  const whole = sum(weights)
  if (whole === 0) return weights.map((_, i) => (i === 0 ? amount : 0))
  // Shares are parts of a positive whole. Turning all signs around changes no proportion.
  return divideAmount(amount, whole < 0 ? weights.map((weight) => subtract(0, weight)) : weights, currency)
}
