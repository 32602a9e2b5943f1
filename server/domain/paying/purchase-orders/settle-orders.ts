import type { PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { closeOrder, reopenOrder } from './change-status.ts'
import { findPaymentSums, type PaymentSums, storePaidByLine } from './payment-queries.ts'
import { computeRetained, isPaidInFull } from './progress.ts'
import * as orders from './queries.ts'

/** Stores on locked orders the amounts that a new payment reserves. It pays nothing yet, so no order is closed. */
export async function reserveAmounts(call: WriteCall, locked: readonly PurchaseOrder[]): Promise<void> {
  const sums = await findPaymentSums(
    call,
    locked.map(({ id }) => id),
  )
  for (const order of locked) await orders.update(call, order, { reservedAmount: sums.get(order.id)?.reserved ?? 0 })
}

/**
 * Updates locked orders after one of their payments was paid, rejected, or voided. The amounts are summed again each
 * time instead of being adjusted, so that no sequence of payments and voids can leave a difference of a cent. The
 * payment of the last amount closes an order, and voiding it makes the order completed again.
 */
export async function settleOrders(call: WriteCall, locked: readonly PurchaseOrder[], reason: string): Promise<void> {
  const sums = await findPaymentSums(
    call,
    locked.map(({ id }) => id),
  )
  for (const order of locked) await settleOrder(call, order, sums.get(order.id), reason)
}

async function settleOrder(
  call: WriteCall,
  order: PurchaseOrder,
  sums: PaymentSums | undefined,
  reason: string,
): Promise<void> {
  const { paid: paidAmount = 0, reserved: reservedAmount = 0, released: releasedAmount = 0 } = sums ?? {}
  const amounts = { paidAmount, reservedAmount, releasedAmount }
  const retainedAmount = computeRetained({ ...order, releasedAmount })
  await storePaidByLine(call, order.id)
  const isSettled = isPaidInFull({ ...order, ...amounts })
  if (order.status === 'completed' && isSettled) await closeOrder(call, order, reason, amounts)
  else if (order.status === 'closed' && !isSettled)
    await reopenOrder(call, order, reason, { ...amounts, retainedAmount })
  else await orders.update(call, order, { ...amounts, retainedAmount: order.status === 'closed' ? 0 : retainedAmount })
}
