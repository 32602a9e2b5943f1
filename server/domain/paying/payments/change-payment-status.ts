import type { FieldError, Payment, PaymentStatusMove, PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict, problem, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { formatAmount, formatDate } from '../../../platform/values/format.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import { reverseEntries } from '../../ledger/reverse-entries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { isDiscountAvailable } from '../bill-records/terms.ts'
import { updateBillsAfterPayment } from '../bill-records/update-bills-after-payment.ts'
import { updateOrdersAfterPayment } from '../purchase-orders/update-orders-after-payment.ts'
import { lockWholes } from '../purchase-orders/whole.ts'
import { computeBackupWithholding } from './backup-withholding.ts'
import { explainWhyPaymentMustWait, listPayableStatuses, PAYMENT_MOVES, VOID_MOVES } from './payment.ts'
import {
  findComplianceObjections,
  findWaiverObjections,
  type PaymentObjection,
  requireOverride,
} from './payment-guards.ts'
import { postPayment } from './post-payment.ts'
import * as payments from './queries.ts'
import { voidWaivers } from './void-waivers.ts'

export async function changePaymentStatus(call: WriteCall, id: string, body: PaymentStatusMove): Promise<Payment> {
  const { payment, locked } = await lockWithOrders(call, id)
  const { status: requested, reason = null, overrideReason = null, method, checkNumber, accountingId } = body
  if (requested === 'voided')
    throw conflict(
      'wrong_status',
      `Cannot void ${payment.number} by changing its status. Use voidPayment, which requires a reason.`,
    )
  assertTransition(PAYMENT_MOVES, payment.status, requested)
  const today = toLocalDate(call.timeZone, call.now)
  const errors = findMoveErrors(body, today)
  if (errors.length > 0) throw validationFailed(errors)
  if (requested === 'approved') assertCanApprove(call, payment)
  const { paymentType } = payment
  const paidOrders = locked.filter((order) => payment.allocations.some(({ poId }) => poId === order.id))
  const wait =
    requested === 'rejected'
      ? null
      : explainWhyPaymentMustWait(paidOrders, paymentType, listPayableStatuses(paymentType))
  if (wait !== null) throw conflict('open_work', wait)
  const settlement = requested === 'paid' ? toSettlement(payment, body, today) : null
  const objections = requested === 'rejected' ? [] : await findObjections(call, payment, settlement)
  const why = [requireOverride(call, objections, overrideReason), reason].filter((text) => text !== null)
  if (requested === 'rejected') await voidWaivers(call, payment, `${payment.number} was rejected.`)
  const after = await payments.update(call, payment, {
    status: requested,
    ...(requested === 'rejected' && { lienWaiverId: null }),
    accountingId,
    ...(settlement && {
      ...(await computePaidAmounts(call, payment, { ...settlement, method: method ?? payment.method })),
      ...{ paidDate: settlement.paidDate, method, checkNumber },
    }),
  })
  await recordStatusChange(call, {
    id,
    from: payment.status,
    to: requested,
    reason: why.length === 0 ? null : why.join(' '),
  })
  await recordEvent(call, 'payment.status_changed', after, payment)
  if (settlement !== null) {
    await payments.writeDiscountsTaken(call, id, settlement.taken)
    await postPayment(call, after, settlement.taken, locked)
  }
  if (requested !== 'approved') await settleAll(call, locked, payment, `${payment.number} was ${requested}.`)
  return after
}

/** The date on which a payment is made, and the discount that is deducted from each allocation. */
interface PaymentSettlement {
  paidDate: string
  taken: number[]
  isLate: boolean
}

function toSettlement(
  { allocations }: Payment,
  { paidDate, takeDiscount }: PaymentStatusMove,
  today: string,
): PaymentSettlement {
  const on = paidDate ?? today
  const taken = allocations.map((allocation) =>
    (takeDiscount ?? isDiscountAvailable(allocation, on)) ? allocation.discountAmount : 0,
  )
  const isLate = allocations.some((allocation, i) => (taken[i] ?? 0) > 0 && !isDiscountAvailable(allocation, on))
  return { paidDate: on, taken, isLate }
}

/**
 * Returns the final amounts of a payment when it is paid. Deducts the discount first, and then the tax to withhold from
 * the remainder.
 */
async function computePaidAmounts(
  call: WriteCall,
  payment: Payment,
  { paidDate, taken, method }: PaymentSettlement & Pick<Payment, 'method'>,
): Promise<Pick<Payment, 'discountTaken' | 'backupWithheld' | 'amount'>> {
  const discountTaken = sum(taken)
  const due = subtract(payment.amount, discountTaken)
  const backupWithheld = await computeBackupWithholding(call, { ...payment, amount: due, paidDate, method })
  return { discountTaken, backupWithheld, amount: subtract(due, backupWithheld) }
}

async function findObjections(
  call: WriteCall,
  payment: Payment,
  settlement: PaymentSettlement | null,
): Promise<PaymentObjection[]> {
  const vendor = await vendors.find(call, payment.vendorId)
  const objections = findComplianceObjections(vendor)
  if (settlement !== null) {
    const due = subtract(payment.amount, sum(settlement.taken))
    objections.push(...(await findWaiverObjections(call, vendor, payment, due)))
  }
  if (settlement?.isLate === true) {
    const detail = `The discount on ${payment.number} expired${payment.discountDueDate === null ? '' : ` on ${formatDate(payment.discountDueDate)}`}.`
    objections.push({ title: 'Discount taken late', detail, permission: 'pos:write' })
  }
  return objections
}

export async function voidPayment(call: WriteCall, id: string, reason: string): Promise<Payment> {
  const { payment, locked } = await lockWithOrders(call, id)
  assertTransition(VOID_MOVES, payment.status, 'voided')
  const voidedAt = call.now.toISOString()
  await voidWaivers(call, payment, `${payment.number} was voided.`)
  const changes = { status: 'voided' as const, voidedAt, voidReason: reason, lienWaiverId: null }
  const after = await payments.update(call, payment, changes)
  await recordStatusChange(call, { id, from: payment.status, to: 'voided', reason })
  await recordEvent(call, 'payment.voided', after, payment)
  if (payment.status === 'paid')
    await reverseEntries(call, { paymentId: id }, { note: `${payment.number} was voided.` })
  await settleAll(call, locked, payment, `${payment.number} was voided.`)
  return after
}

/** Updates the orders and bills of a payment after its status changes. */
async function settleAll(
  call: WriteCall,
  locked: readonly PurchaseOrder[],
  { allocations }: Payment,
  reason: string,
): Promise<void> {
  await updateOrdersAfterPayment(call, locked, reason)
  await updateBillsAfterPayment(call, [
    ...new Set(allocations.flatMap(({ poId, billId }) => (poId === null ? (billId ?? []) : []))),
  ])
}

/** Locks the orders of a payment by ID, and then the payment. Creating a payment locks in the same order. */
async function lockWithOrders(call: WriteCall, id: string): Promise<{ payment: Payment; locked: PurchaseOrder[] }> {
  const { allocations } = await payments.find(call, id)
  const locked = await lockWholes(call, [...new Set(allocations.flatMap(({ poId }) => poId ?? []))])
  return { payment: await payments.lock(call, id), locked }
}

function findMoveErrors(body: PaymentStatusMove, today: string): FieldError[] {
  const { status, reason = null, paidDate } = body
  if (status === 'rejected' && reason === null)
    return [{ pointer: '/reason', code: 'required', message: 'is required when status is rejected' }]
  if (status === 'paid') {
    if (paidDate === undefined || paidDate <= today) return []
    return [{ pointer: '/paidDate', code: 'maximum', message: `must not be after today (${today})` }]
  }
  return (['paidDate', 'method', 'checkNumber', 'takeDiscount'] as const)
    .filter((field) => body[field] !== undefined)
    .map((field) => ({ pointer: `/${field}`, code: 'exclusive', message: 'can only be set when status is paid' }))
}

/** Throws `permission_denied` if the payment exceeds the caller's approval limit. */
export function assertCanApprove({ poApprovalLimit }: Call, { amount, currency }: Payment): void {
  if (poApprovalLimit === null || amount <= poApprovalLimit) return
  const [limit, requested] = [poApprovalLimit, amount].map((value) => formatAmount(value, currency))
  throw problem('permission_denied', `Your approval limit is ${limit}. Approving ${requested} needs a higher limit.`)
}
