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
import { isWithinMoneyRange, subtract, sum } from '../../../platform/values/money.ts'
import { OPEN_STATUSES, PENDING_STATUSES } from '../../statuses/order-statuses.ts'

/**
 * The status changes that changePaymentStatus allows. Voiding is a separate operation, because it always requires a
 * reason.
 */
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
 * Returns the order statuses in which a payment of this type can be created. A deposit can be created before the order
 * is approved.
 */
export function listEnterableStatuses(paymentType: PaymentType): readonly PurchaseOrderStatus[] {
  return paymentType === 'deposit' ? [...PENDING_STATUSES, 'approved', ...OPEN_STATUSES] : OPEN_STATUSES
}

/**
 * Returns the order statuses in which a payment of this type can be approved and paid. A deposit can be paid before the
 * order is issued.
 */
export function listPayableStatuses(paymentType: PaymentType): readonly PurchaseOrderStatus[] {
  return paymentType === 'deposit' ? ['approved', ...OPEN_STATUSES] : OPEN_STATUSES
}

/**
 * Returns the reason why a payment of this type cannot proceed in the current status of one of its orders; null if it
 * can proceed.
 */
export function explainWhyPaymentMustWait(
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

/**
 * Returns the sign of an order's amounts. A backcharge has negative payments, so comparisons must invert the signs of
 * its amounts.
 */
export function getAmountSign({ total }: Pick<PurchaseOrder, 'total'>): 1 | -1 {
  return total < 0 ? -1 : 1
}

export function isPaymentForWork(paymentType: PaymentType): boolean {
  return paymentType === 'progress' || paymentType === 'final'
}

type PaymentAmounts = Pick<Payment, 'grossAmount' | 'retainageWithheld' | 'discountTaken' | 'amount'>

/**
 * Returns the amounts of a payment. The discount is not deducted until the payment is made, because only the date of
 * the payment determines whether the discount applies.
 */
export function sumAllocations(
  allocations: readonly Pick<PaymentAllocation, 'amount' | 'retainageWithheld'>[],
): PaymentAmounts {
  const grossAmount = sum(allocations.map(({ amount }) => amount))
  const retainageWithheld = sum(allocations.map((allocation) => allocation.retainageWithheld))
  return { grossAmount, retainageWithheld, discountTaken: 0, amount: subtract(grossAmount, retainageWithheld) }
}

/** Returns the errors that affect the payment as a whole. */
export function findPaymentAmountErrors(
  { grossAmount, amount }: PaymentAmounts,
  { paymentType, pointer, discountAmount }: { paymentType: PaymentType; pointer: string; discountAmount: number },
): FieldError[] {
  if (!isWithinMoneyRange(grossAmount))
    return [{ pointer, code: 'maximum', message: 'must not exceed the maximum amount of a single payment' }]
  if (amount < 0 && paymentType !== 'adjustment')
    return [{ pointer, code: 'sum', message: 'must not be negative unless paymentType is adjustment' }]
  if (discountAmount <= Math.max(amount, 0)) return []
  return [{ pointer: '/discountAmount', code: 'maximum', message: 'must not exceed the amount paid' }]
}
