import type { PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { formatAmount } from '../../../platform/values/format.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import { applyPrepayments, findPartsOfOrders, writeAppliedAmounts } from '../bill-records/parts.ts'
import { computeRequiredRetainage } from '../bill-records/retainage.ts'
import { updateBillsAfterPayment } from '../bill-records/update-bills-after-payment.ts'
import { findBillSums, findPaymentSums, type PaymentSums, writePaidOfLines } from './amount-queries.ts'
import { closeOrder, reopenOrder } from './move-order.ts'
import * as orders from './queries.ts'
import { loadRetainageTerms } from './retainage-terms.ts'
import { getSignOfWhole, getTotalOfWhole, getWholes, isCountedInTotal, sumOverWhole, type Whole } from './whole.ts'

/**
 * Updates locked orders after one of their bills or payments changes, and closes orders that are paid in full. Sums all
 * amounts again instead of adjusting them, so that no sequence of payments and voids leaves a difference of a cent.
 */
export async function updateOrdersAfterPayment(
  call: WriteCall,
  locked: readonly PurchaseOrder[],
  reason: string,
): Promise<void> {
  await closeFullyPaidOrders(call, await updateOrderAmounts(call, locked), reason)
}

/**
 * Updates the amounts of locked orders from their bills and payments. The locked orders must include all change orders
 * (see `lockWholes`).
 */
export async function updateOrderAmounts(call: WriteCall, locked: readonly PurchaseOrder[]): Promise<PurchaseOrder[]> {
  const ids = locked.map(({ id }) => id)
  if (ids.length === 0) return []
  const sums = await findPaymentSums(call, ids)
  const bills = await findBillSums(call, ids)
  const elsewhere = await orders.findExternallyPaidAmounts(call, ids)
  await updateBillsAfterPayment(call, await applyPrepaid(call, locked, sums, elsewhere))
  const after: PurchaseOrder[] = []
  for (const order of locked) {
    const { paid, reserved = 0, released = 0, releasing = 0 } = sums.get(order.id) ?? {}
    const { gross: billedAmount = 0, withheld = 0 } = bills.get(order.id) ?? {}
    const paidAmount = sum([paid ?? 0, elsewhere.get(order.id) ?? 0])
    if (paidAmount !== order.paidAmount) await writePaidOfLines(call, order.id)
    const retainedAmount = order.status === 'closed' ? 0 : subtract(withheld, released)
    after.push(
      await orders.update(call, order, {
        ...{ paidAmount, reservedAmount: reserved, releasedAmount: released, releasingAmount: releasing },
        ...{ billedAmount, retainedAmount },
      }),
    )
  }
  for (const whole of getWholes(after)) {
    assertWithinLimits(whole, locked, sums)
    const required = computeRequiredRetainage(
      await loadRetainageTerms(call, whole),
      sumOverWhole(whole, ({ billedAmount }) => billedAmount),
    )
    await orders.writeRequiredRetainage(call, whole.root.id, required)
  }
  return after
}

/** Applies the payments without a bill to the bills of each order. Returns the IDs of these bills. */
async function applyPrepaid(
  call: WriteCall,
  locked: readonly PurchaseOrder[],
  sums: ReadonlyMap<string, PaymentSums>,
  elsewhere: ReadonlyMap<string, number>,
): Promise<string[]> {
  const parts = await findPartsOfOrders(
    call,
    locked.map(({ id }) => id),
  )
  const byOrder = Map.groupBy(parts, ({ poId }) => poId)
  const changed = locked.flatMap((order) => {
    const prepaid = sum([sums.get(order.id)?.prepaid ?? 0, elsewhere.get(order.id) ?? 0])
    return applyPrepayments(byOrder.get(order.id) ?? [], prepaid, order.total < 0 ? -1 : 1)
  })
  await writeAppliedAmounts(call, changed)
  return [...new Set(parts.map(({ billId }) => billId))]
}

/**
 * Throws if payments exceed the total, or if releases exceed the withheld retainage. Users cannot override these
 * limits.
 */
function assertWithinLimits(
  whole: Whole,
  before: readonly PurchaseOrder[],
  sums: ReadonlyMap<string, PaymentSums>,
): void {
  const { root, members } = whole
  const sign = getSignOfWhole(whole)
  const money = (value: number) => formatAmount(value, root.currency)
  const total = getTotalOfWhole(whole)
  const ids = new Set(members.map(({ id }) => id))
  const provided = sumOverWhole(whole, (order) => getCommitted(order, sums.get(order.id), sign))
  const givenBefore = sum(before.flatMap((order) => (ids.has(order.id) ? getCommitted(order, undefined, sign) : [])))
  if (sign * provided > sign * total && sign * provided > sign * givenBefore)
    throw conflict(
      'not_enough_left',
      `Cannot save: payments of ${money(provided)} exceed the total of ${root.number} (${money(total)}). To pay more, approve a change order first.`,
    )
  const held = sumOverWhole(whole, (order) =>
    order.status === 'closed' ? order.releasingAmount : order.retainedAmount,
  )
  const releasing = sumOverWhole(whole, ({ releasingAmount }) => releasingAmount)
  const released = sumOverWhole(whole, ({ releasedAmount }) => releasedAmount)
  if (sign * held < sign * releasing)
    throw conflict(
      'not_enough_left',
      `The bills of ${root.number} would withhold ${money(sum([held, released]))} of retainage, but ${money(sum([released, releasing]))} is released or in pending releases. Void a release of retainage first.`,
    )
}

/**
 * Returns the total of the paid and reserved amounts of an order. An unpaid refund does not reduce this total, so it
 * leaves no room for another payment.
 */
function getCommitted(order: PurchaseOrder, sums: PaymentSums | undefined, sign: 1 | -1): number {
  const refunding = sums === undefined ? 0 : sign < 0 ? sums.adjustingUp : sums.adjustingDown
  return sum([order.paidAmount, order.reservedAmount, order.releasingAmount, -refunding])
}

/**
 * Closes orders that are paid in full, together with their change orders, and reopens orders that no longer are. The
 * last payment closes an order with its change orders. Voiding this payment changes their status back to completed.
 */
export async function closeFullyPaidOrders(
  call: WriteCall,
  locked: readonly PurchaseOrder[],
  reason: string,
): Promise<void> {
  const sums = await findBillSums(
    call,
    locked.map(({ id }) => id),
  )
  const elsewhere = await orders.findExternallyPaidAmounts(
    call,
    locked.map(({ id }) => id),
  )
  for (const whole of getWholes(locked)) {
    const counted = whole.members.filter(isCountedInTotal)
    const isSettled = isPaidInFull(whole, counted)
    for (const order of counted) {
      if (isSettled && order.status === 'completed') await closeOrder(call, order, reason)
      if (!isSettled && order.status === 'closed' && !elsewhere.has(order.id)) {
        const withheld = sums.get(order.id)?.withheld ?? 0
        await reopenOrder(call, order, reason, subtract(withheld, order.releasedAmount))
      }
    }
  }
}

/** Returns whether all work is completed, billed, and paid, including retainage, and no payment is pending. */
function isPaidInFull(whole: Whole, counted: readonly PurchaseOrder[]): boolean {
  if (!counted.every(({ status }) => status === 'completed' || status === 'closed')) return false
  const total = getTotalOfWhole(whole)
  const paid = sumOverWhole(whole, ({ paidAmount }) => paidAmount)
  const underWay = sumOverWhole(whole, (order) => sum([order.reservedAmount, order.releasingAmount]))
  const unbilled = sumOverWhole(whole, ({ unbilledAmount }) => unbilledAmount)
  return counted.some(({ paidAmount }) => paidAmount !== 0) && paid === total && underWay === 0 && unbilled === 0
}
