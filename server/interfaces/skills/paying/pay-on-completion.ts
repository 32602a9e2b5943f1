import type { PayOnCompletionResult, PurchaseOrder } from '../../../../client/contract.gen.ts'
import { findPartsOfOrders, getOpenAmounts } from '../../../domain/paying/bill-records/parts.ts'
import * as orders from '../../../domain/paying/purchase-orders/queries.ts'
import { OPEN_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { sum } from '../../../platform/values/money.ts'
import { attemptTask } from '../frame/attempt-task.ts'
import { createRowConflict, type RejectedItem } from '../frame/rejected-item.ts'
import { toEnteredPayment } from './entered-payment.ts'

/**
 * Completes a task and its orders, and enters the payments. Needs no limit of its own, because a task has at most
 * twenty orders.
 */
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
  const refused: RejectedItem[] = []
  const completed: PurchaseOrder[] = []
  // Processes the orders by ID, because all code locks orders in this sequence.
  for (const id of before.poIds.toSorted()) {
    const order = await orders.find(call, id)
    const done = await attemptTask(call, async (call) =>
      order.status === 'completed'
        ? order
        : call.operation('recordPurchaseOrderProgress', {
            ...{ poId: id, completedPercent: 100 },
            ...(date !== undefined && { on: date }),
          }),
    )
    if (done.refused === null) completed.push(done.done)
    else refused.push({ id, label: order.number, pointer: null, problem: done.refused })
  }
  const payments = await enterPayments(call, completed, { invoiceNumber, method }, refused)
  const after = await orders.findAll(call, before.poIds)
  return {
    ...{ taskId, completedOn: task.actualEnd, payments, refused },
    orders: after.map(({ id, number, status }) => ({
      ...{ poId: id, number, status },
      isCompleted: status === 'completed' && isPayable(standing.get(id)),
    })),
    amount: sum(payments.map(({ amount }) => amount)),
    currency: call.currency,
  }
}

function isPayable(order: PurchaseOrder | undefined): boolean {
  return order !== undefined && OPEN_STATUSES.includes(order.status) && order.status !== 'completed'
}

type PaymentTerms = Pick<Checked['PayOnCompletionInput'], 'invoiceNumber' | 'method'>

/** Enters one payment for each vendor, because an invoice can be entered only once. */
async function enterPayments(
  call: Call,
  completed: readonly PurchaseOrder[],
  { invoiceNumber, method }: PaymentTerms,
  refused: RejectedItem[],
): Promise<PayOnCompletionResult['payments']> {
  const parts = await findPartsOfOrders(
    call,
    completed.map(({ id }) => id),
  )
  const due = completed.map((order) => ({
    order,
    amount: sum(parts.flatMap((part) => (part.poId === order.id ? getOpenAmounts(part).gross : []))),
  }))
  for (const { order } of due.filter(({ amount }) => amount === 0)) {
    const problem = createRowConflict(
      'not_enough_left',
      order.unbilledAmount === 0
        ? `All completed work on ${order.number} is already included in payments.`
        : `Cannot pay ${order.number}: its completed work is not billed. Approve a vendor bill for the work first.`,
    )
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
    const paid = await attemptTask(call, (call) => call.operation('createPayment', { allocations, method, ...more }))
    if (paid.refused === null) payments.push(toEnteredPayment(paid.done))
    else
      for (const { order } of ofVendor)
        refused.push({ id: order.id, label: order.number, pointer: null, problem: paid.refused })
  }
  return payments
}
