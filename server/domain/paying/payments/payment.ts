import type {
  FieldError,
  Payment,
  PaymentAllocation,
  PaymentStatus,
  PaymentType,
  PurchaseOrder,
  PurchaseOrderStatus,
} from '../../../../client/contract.gen.ts'
import { describeStatus, formatList, humanizeValue } from '../../../platform/values/format.ts'
import { getPercent, isMoney, subtract, sum } from '../../../platform/values/money.ts'
import { OPEN_STATUSES, PENDING_STATUSES } from '../../statuses/order-statuses.ts'
import type { PaymentSums } from '../purchase-orders/payment-queries.ts'

/** The status changes by changePaymentStatus. Voiding is a separate operation, because it always requires a reason. */
export const PAYMENT_MOVES: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  pending: ['approved', 'rejected'],
  approved: ['paid'],
  paid: [],
  rejected: [],
  voided: [],
}

export const VOID_MOVES: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  pending: ['voided'],
  approved: ['voided'],
  paid: ['voided'],
  rejected: [],
  voided: [],
}

/**
 * Returns the statuses of orders that a payment of this type can be created for. A deposit can be requested before the
 * order is approved.
 */
export function listEnterableStatuses(paymentType: PaymentType): readonly PurchaseOrderStatus[] {
  return paymentType === 'deposit' ? [...PENDING_STATUSES, 'approved', ...OPEN_STATUSES] : OPEN_STATUSES
}

/**
 * Returns the statuses of orders in which the payment can be approved and paid. A deposit is paid before the order is
 * issued.
 */
export function listPayableStatuses(paymentType: PaymentType): readonly PurchaseOrderStatus[] {
  return paymentType === 'deposit' ? ['approved', ...OPEN_STATUSES] : OPEN_STATUSES
}

/** Returns why a payment of this type must wait for the status of one of its orders; null if it need not. */
export function explainWaiting(
  orders: readonly Pick<PurchaseOrder, 'number' | 'status'>[],
  paymentType: PaymentType,
  statuses: readonly PurchaseOrderStatus[],
): string | null {
  const order = orders.find(({ status }) => !statuses.includes(status))
  if (order === undefined) return null
  const type = humanizeValue(paymentType)
  const needed = formatList(statuses.map(describeStatus), 'or')
  return `${order.number} is ${describeStatus(order.status)}. ${/^[aeiou]/.test(type) ? 'An' : 'A'} ${type} payment needs an order that is ${needed}.`
}

/** Returns the sign of an order's amounts. A backcharge has negative payments, so its comparisons are reversed. */
export function amountSign({ total }: Pick<PurchaseOrder, 'total'>): 1 | -1 {
  return total < 0 ? -1 : 1
}

export function isForWork(paymentType: PaymentType): boolean {
  return paymentType === 'progress' || paymentType === 'final'
}

/** The fields of an order that paying it requires. */
export type PayableOrder = Pick<
  PurchaseOrder,
  | ('number' | 'status' | 'total' | 'currency' | 'retainagePercent')
  | ('completedAmount' | 'paidAmount' | 'retainedAmount' | 'payableAmount')
>

/** An order with the sums of its payments, while a payment is being created. */
export interface OrderAccount<Order extends PayableOrder = PayableOrder> {
  order: Order
  sums: PaymentSums
}

export function createEmptySums(poId: string): PaymentSums {
  return { poId, paid: 0, reserved: 0, released: 0, releasing: 0, billed: 0, withheld: 0 }
}

/**
 * Returns the full amount that a payment of this type can have for the order; null for a type without such an amount.
 */
export function computeWholeAmount({ order, sums }: OrderAccount, paymentType: PaymentType): number | null {
  if (isForWork(paymentType)) return subtract(order.completedAmount, sums.billed)
  return paymentType === 'retainage_release' ? computeReleasable({ order, sums }) : null
}

/** Returns the retainage that is on no payment yet, less what a deposit already paid of it. */
function computeReleasable({ order, sums }: OrderAccount): number {
  const sign = amountSign(order)
  const retained = subtract(order.retainedAmount, sums.releasing)
  const unpaid = subtract(order.completedAmount, sum([order.paidAmount, sums.reserved, sums.releasing]))
  return sign * Math.min(sign * retained, sign * unpaid)
}

/**
 * Returns the retainage of an amount: the retainage of everything billed including it, less what was held before. So
 * the parts add up to the retainage of the whole, and retainage that a deposit did not hold is added later.
 */
export function computeWithheld({ order, sums }: OrderAccount, paymentType: PaymentType, amount: number): number {
  if (!isForWork(paymentType)) return 0
  const sign = amountSign(order)
  const inAll = getPercent(sum([sums.billed, amount]), order.retainagePercent, order.currency)
  return sign * Math.min(sign * amount, Math.max(0, sign * subtract(inAll, sums.withheld)))
}

/** The limits that the amount of an allocation can exceed. */
export type PaymentExcess = 'above_total' | 'above_retainage' | 'above_paid' | 'above_payable'

/** Returns the limit that the amount of the allocation exceeds; null if it can be paid. */
export function findExcess(
  { order, sums }: OrderAccount,
  paymentType: PaymentType,
  { amount, retainageWithheld }: Pick<PaymentAllocation, 'amount' | 'retainageWithheld'>,
): PaymentExcess | null {
  const sign = amountSign(order)
  const room = sign * subtract(order.payableAmount, sums.reserved)
  if (paymentType === 'deposit') return sign * sum([sums.billed, amount]) <= sign * order.total ? null : 'above_total'
  if (paymentType === 'retainage_release')
    return sign * amount <= sign * computeReleasable({ order, sums }) ? null : 'above_retainage'
  if (paymentType === 'adjustment' && sign * amount < 0) {
    const paid = sign * sums.paid + Math.min(sign * sums.reserved, 0)
    return -sign * amount <= paid ? null : 'above_paid'
  }
  const isBilled = isForWork(paymentType) && sign * amount > sign * subtract(order.completedAmount, sums.billed)
  return isBilled || sign * subtract(amount, retainageWithheld) > room ? 'above_payable' : null
}

/** Returns the account including the allocation. */
export function applyAllocation<Order extends PayableOrder>(
  { order, sums }: OrderAccount<Order>,
  paymentType: PaymentType,
  allocation: PaymentAllocation,
): OrderAccount<Order> {
  const { amount, retainageWithheld } = allocation
  if (paymentType === 'retainage_release') return { order, sums: { ...sums, releasing: sum([sums.releasing, amount]) } }
  return {
    order,
    sums: {
      ...sums,
      billed: sum([sums.billed, amount]),
      withheld: sum([sums.withheld, retainageWithheld]),
      reserved: sum([sums.reserved, subtract(amount, retainageWithheld)]),
    },
  }
}

type PaymentAmounts = Pick<Payment, 'grossAmount' | 'retainageWithheld' | 'discountTaken' | 'amount'>

/**
 * Returns the amounts of a payment. The discount is deducted only when it is paid, because only then is it known to be
 * in time.
 */
export function sumAllocations(allocations: readonly PaymentAllocation[]): PaymentAmounts {
  const grossAmount = sum(allocations.map(({ amount }) => amount))
  const retainageWithheld = sum(allocations.map((allocation) => allocation.retainageWithheld))
  return { grossAmount, retainageWithheld, discountTaken: 0, amount: subtract(grossAmount, retainageWithheld) }
}

/** Returns errors of the payment as a whole. */
export function findAmountErrors(
  { grossAmount, amount }: PaymentAmounts,
  { paymentType, pointer, discountAmount }: { paymentType: PaymentType; pointer: string; discountAmount: number },
): FieldError[] {
  if (!isMoney(grossAmount)) return [{ pointer, code: 'maximum', message: 'exceeds the maximum of a single payment' }]
  if (amount < 0 && paymentType !== 'adjustment')
    return [{ pointer, code: 'sum', message: 'must not be negative unless paymentType is adjustment' }]
  if (discountAmount <= Math.max(amount, 0)) return []
  return [{ pointer: '/discountAmount', code: 'maximum', message: 'must not exceed the amount paid' }]
}
