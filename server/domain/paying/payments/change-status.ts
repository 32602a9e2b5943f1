import type { FieldError, Payment, PaymentStatusMove, PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict, problem, validationFailed } from '../../../platform/problems/problem.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { formatAmount, formatDate } from '../../../platform/values/format.ts'
import { subtract } from '../../../platform/values/money.ts'
import { reverseEntries } from '../../ledger/reverse-entries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import * as orders from '../purchase-orders/queries.ts'
import { settleOrders } from '../purchase-orders/settle-orders.ts'
import { findBackupWithheld } from './backup-withholding.ts'
import { explainWaiting, listPayableStatuses, PAYMENT_MOVES, VOID_MOVES } from './payment.ts'
import {
  findComplianceObjections,
  findWaiverObjections,
  type PaymentObjection,
  requireOverride,
} from './payment-guards.ts'
import { isWithinDiscountPeriod } from './payment-terms.ts'
import { postPayment } from './post-payment.ts'
import * as payments from './queries.ts'
import { voidWaivers } from './void-waivers.ts'

export async function changeStatus(call: WriteCall, id: string, body: PaymentStatusMove): Promise<Payment> {
  const { payment, locked } = await lockWithOrders(call, id)
  const { status: requested, reason = null, overrideReason = null, method, checkNumber, accountingId } = body
  if (requested === 'voided')
    throw conflict(
      'wrong_status',
      `Cannot void ${payment.number} by changing its status. Use voidPayment, which requires a reason.`,
    )
  assertTransition(PAYMENT_MOVES, payment.status, requested)
  const today = dateIn(call.timeZone, call.now)
  const errors = findMoveErrors(body, today)
  if (errors.length > 0) throw validationFailed(errors)
  if (requested === 'approved') assertCanApprove(call, payment)
  const { paymentType } = payment
  const wait = requested === 'rejected' ? null : explainWaiting(locked, paymentType, listPayableStatuses(paymentType))
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
  if (requested === 'paid') await postPayment(call, after, locked)
  if (requested !== 'approved') await settleOrders(call, locked, `${payment.number} was ${requested}.`)
  return after
}

/** When a payment was made, and whether the discount was deducted. */
interface PaymentSettlement {
  paidDate: string
  takesDiscount: boolean
}

function toSettlement(
  payment: Payment,
  { paidDate, takeDiscount }: PaymentStatusMove,
  today: string,
): PaymentSettlement {
  const on = paidDate ?? today
  return { paidDate: on, takesDiscount: takeDiscount ?? isWithinDiscountPeriod(payment, on) }
}

/** Returns the amounts of a payment when it is paid: less the discount, and less the tax withheld from the remainder. */
async function computePaidAmounts(
  call: WriteCall,
  payment: Payment,
  { paidDate, takesDiscount, method }: PaymentSettlement & Pick<Payment, 'method'>,
): Promise<Pick<Payment, 'discountTaken' | 'backupWithheld' | 'amount'>> {
  const discountTaken = takesDiscount ? payment.discountAmount : 0
  const due = subtract(payment.amount, discountTaken)
  const backupWithheld = await findBackupWithheld(call, { ...payment, amount: due, paidDate, method })
  return { discountTaken, backupWithheld, amount: subtract(due, backupWithheld) }
}

async function findObjections(
  call: WriteCall,
  payment: Payment,
  settlement: PaymentSettlement | null,
): Promise<PaymentObjection[]> {
  const vendor = await vendors.find(call, payment.vendorId)
  const objections = findComplianceObjections(vendor)
  if (settlement !== null) objections.push(...(await findWaiverObjections(call, vendor, payment)))
  if (
    settlement?.takesDiscount === true &&
    payment.discountAmount > 0 &&
    !isWithinDiscountPeriod(payment, settlement.paidDate)
  ) {
    const detail = `The discount of ${payment.number} expired${payment.discountDueDate === null ? '' : ` after ${formatDate(payment.discountDueDate)}`}.`
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
  await settleOrders(call, locked, `${payment.number} was voided.`)
  return after
}

/** Locks a payment and its orders, in the same order as creating one: the orders first, by their IDs. */
async function lockWithOrders(call: WriteCall, id: string): Promise<{ payment: Payment; locked: PurchaseOrder[] }> {
  const { allocations } = await payments.find(call, id)
  const locked: PurchaseOrder[] = []
  for (const poId of [...new Set(allocations.map(({ poId }) => poId))].sort())
    locked.push(await orders.lock(call, poId))
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

function assertCanApprove({ poApprovalLimit }: Call, { amount, currency }: Payment): void {
  if (poApprovalLimit === null || amount <= poApprovalLimit) return
  const [limit, requested] = [poApprovalLimit, amount].map((value) => formatAmount(value, currency))
  throw problem('permission_denied', `Your approval limit is ${limit}. Approving ${requested} needs a higher limit.`)
}
