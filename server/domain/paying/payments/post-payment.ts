import type { Payment, PaymentAllocation, PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import { getOpenBalances, type OpenBalance } from '../../ledger/open-balances.ts'
import { toPostingDate } from '../../ledger/period.ts'
import type { NewPosting } from '../../ledger/posting.ts'
import { recordPostings } from '../../ledger/record-postings.ts'
import { spreadAmount } from '../../ledger/spread-amount.ts'
import { getPostingKey } from '../purchase-orders/post-order.ts'

interface Part {
  key: Omit<NewPosting, 'measure' | 'amount' | 'effectiveDate'>
  /** The amount by which the debt to the vendor decreases, including the discount and the withheld tax. */
  net: number
  discount: number
}

/**
 * Posts a payment that was made, which reduces the debt to the vendor by the settled amount. The settled amount is the
 * money paid plus the discount and the withheld tax. A release of retainage pays retainage. The payment of a bill pays
 * the lines of the bill. All other payments pay the order's payable amount, which a deposit makes negative.
 *
 * @param taken the discount deducted from each allocation
 * @param paid the orders of the allocations
 */
export async function postPayment(
  call: WriteCall,
  payment: Payment,
  taken: readonly number[],
  paid: readonly PurchaseOrder[],
): Promise<void> {
  const { allocations, currency, paymentType } = payment
  const debt = paymentType === 'retainage_release' ? 'retainage' : 'payable'
  const orders = new Map(paid.map((order) => [order.id, order]))
  const billIds = [...new Set(allocations.flatMap(({ billId }) => billId ?? []))]
  const poIds = [...new Set(allocations.flatMap(({ poId }) => poId ?? []))]
  const balances = [
    ...(await getOpenBalances(call, ['payable'], { billIds })),
    ...(debt === 'retainage' ? await getOpenBalances(call, ['retainage'], { poIds }) : []),
  ]
  const parts = allocations.flatMap((allocation, i): Part[] => {
    const keys = toKeys(allocation, balances, { order: orders.get(allocation.poId ?? ''), vendorId: payment.vendorId })
    const nets = spreadAmount(
      subtract(allocation.amount, allocation.retainageWithheld),
      keys.map(({ weight }) => weight),
      currency,
    )
    const discounts = spreadAmount(taken[i] ?? 0, nets, currency)
    return keys.map(({ key, balance }, place) => {
      const net = nets[place] ?? 0
      // Another allocation of the payment may pay the same bill lines.
      if (balance !== null) balance.amount = subtract(balance.amount, net)
      return { key, net, discount: discounts[place] ?? 0 }
    })
  })
  const taxes = spreadAmount(
    payment.backupWithheld,
    parts.map(({ net }) => net),
    currency,
  )
  const effectiveDate = await toPostingDate(call, payment.paidDate ?? toLocalDate(call.timeZone, call.now))
  const postings = parts.flatMap(({ key, net, discount }, i): NewPosting[] => {
    const shared = { ...key, paymentId: payment.id, effectiveDate }
    const tax = taxes[i] ?? 0
    return [
      { ...shared, measure: debt, amount: subtract(0, net) },
      { ...shared, measure: 'paid', amount: subtract(net, sum([discount, tax])) },
      { ...shared, measure: 'discount', amount: discount },
      { ...shared, measure: 'withheldTax', amount: tax },
    ]
  })
  await recordPostings(call, { postings, note: `${payment.number} was paid.` })
}

interface Key {
  key: Part['key']
  weight: number
  balance: OpenBalance | null
}

/**
 * Returns the keys of the postings for an allocation with their weights: open bill lines, the retainage of the order,
 * or order lines in proportion to completed work. If no work is completed, uses the ordered amounts. A deduction for a
 * vendor's credit has no order.
 */
function toKeys(
  { billId, poId, lineId }: PaymentAllocation,
  balances: readonly OpenBalance[],
  { order, vendorId }: { order: PurchaseOrder | undefined; vendorId: string },
): Key[] {
  if (poId === null && billId === null) return [{ key: { homeId: null, vendorId }, weight: 1, balance: null }]
  const open = balances.filter(
    (balance) =>
      balance.poId === poId && (billId === null ? balance.measure === 'retainage' : balance.billId === billId),
  )
  const named = open.filter(({ poLineId }) => lineId !== null && poLineId === lineId)
  const paid = named.length > 0 ? named : open
  if (sum(paid.map(({ amount }) => amount)) !== 0)
    return paid.map((balance) => {
      const { measure: _, amount: weight, ...key } = balance
      return { key, weight, balance }
    })
  if (order === undefined) throw new Error('Expected the orders of all allocations of a payment.')
  const lines = lineId === null ? order.lines : order.lines.filter((line) => line.lineId === lineId)
  const done = lines.map(({ completedAmount }) => completedAmount)
  const weights = sum(done) === 0 ? lines.map(({ total, taxAmount }) => sum([total, taxAmount])) : done
  return lines.map((line, i) => ({
    key: { ...getPostingKey(order, line), billId },
    weight: weights[i] ?? 0,
    balance: null,
  }))
}
