import type { PayOnCompletionResult, PurchaseOrder } from '../../../../client/contract.gen.ts'
import { emptySums, wholeAmount } from '../../../domain/paying/payments/payment.ts'
import { paymentSums } from '../../../domain/paying/purchase-orders/payment-queries.ts'
import * as orders from '../../../domain/paying/purchase-orders/queries.ts'
import { OPEN } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { sum } from '../../../platform/values/money.ts'
import { attempt } from '../frame/attempt.ts'
import { conflictOf, type Refused } from '../frame/refused.ts'
import { entered } from './entered.ts'

/** A task has at most twenty orders, so they need no further bound. */
export async function payOnCompletion(
  { taskId, date, invoiceNumber, method }: Checked['PayOnCompletionInput'],
  call: Call,
): Promise<PayOnCompletionResult> {
  const before = await call.operation('getTask', { taskId })
  const standing = new Map((await orders.findAll(call, before.poIds)).map((order) => [order.id, order]))
  const task =
    before.status === 'completed'
      ? before
      : await call.operation('completeTask', { taskId, ...(date !== undefined && { date }) })
  const refused: Refused[] = []
  const completed: PurchaseOrder[] = []
  // In order of their IDs, like everything that locks several orders.
  for (const id of before.poIds.toSorted()) {
    const order = await orders.find(call, id)
    const done = await attempt(call, async (call) =>
      order.status === 'completed'
        ? order
        : call.operation('recordPurchaseOrderProgress', { purchaseOrderId: id, completedPercent: 100 }),
    )
    if (done.refused === null) completed.push(done.done)
    else refused.push({ id, label: order.number, pointer: null, problem: done.refused })
  }
  const payments = await paymentsOf(call, completed, { invoiceNumber, method }, refused)
  const after = await orders.findAll(call, before.poIds)
  return {
    ...{ taskId, completedOn: task.actualEnd, payments, refused },
    orders: after.map(({ id, number, status }) => ({
      ...{ purchaseOrderId: id, number, status },
      isCompleted: status === 'completed' && wasOpen(standing.get(id)),
    })),
    amount: sum(payments.map(({ amount }) => amount)),
    currency: call.currency,
  }
}

function wasOpen(order: PurchaseOrder | undefined): boolean {
  return order !== undefined && OPEN.includes(order.status) && order.status !== 'completed'
}

type Terms = Pick<Checked['PayOnCompletionInput'], 'invoiceNumber' | 'method'>

/** Enters one payment per vendor, because an invoice is entered once. */
async function paymentsOf(
  call: Call,
  completed: readonly PurchaseOrder[],
  { invoiceNumber, method }: Terms,
  refused: Refused[],
): Promise<PayOnCompletionResult['payments']> {
  const sums = await paymentSums(
    call,
    completed.map(({ id }) => id),
  )
  const due = completed.map((order) => ({
    order,
    amount: wholeAmount({ order, sums: sums.get(order.id) ?? emptySums(order.id) }, 'progress') ?? 0,
  }))
  for (const { order } of due.filter(({ amount }) => amount === 0)) {
    const problem = conflictOf('not_enough_left', `All completed work of ${order.number} is already on payments.`)
    refused.push({ id: order.id, label: order.number, pointer: null, problem })
  }
  const payments: PayOnCompletionResult['payments'] = []
  const byVendor = Map.groupBy(
    due.filter(({ amount }) => amount !== 0),
    ({ order }) => order.vendorId,
  )
  for (const ofVendor of byVendor.values()) {
    const allocations = ofVendor.map(({ order, amount }) => ({ poId: order.id, amount }))
    const more = invoiceNumber === undefined ? {} : { invoiceNumber }
    const paid = await attempt(call, (call) => call.operation('createPayment', { allocations, method, ...more }))
    if (paid.refused === null) payments.push(entered(paid.done))
    else
      for (const { order } of ofVendor)
        refused.push({ id: order.id, label: order.number, pointer: null, problem: paid.refused })
  }
  return payments
}
