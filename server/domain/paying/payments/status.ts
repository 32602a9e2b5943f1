import type { FieldError, Payment, PaymentStatusMove, PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertMove, conflict, invalid, problem } from '../../../platform/problems/problem.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { formatAmount, formatDate } from '../../../platform/values/format.ts'
import { minus } from '../../../platform/values/money.ts'
import { reverseEntries } from '../../ledger/reverse-entries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import * as orders from '../purchase-orders/queries.ts'
import { settle } from '../purchase-orders/settle.ts'
import { backupWithheldOf } from './backup-withholding.ts'
import { complianceObjections, type Objection, overridden, waiverObjections } from './guards.ts'
import { PAYMENT_MOVES, payableStatuses, reasonToWait, VOIDABLE } from './payment.ts'
import { postPayment } from './post-payment.ts'
import * as payments from './queries.ts'
import { isInTime } from './terms.ts'
import { voidWaivers } from './void-waivers.ts'

export async function changeStatus(call: WriteCall, id: string, body: PaymentStatusMove): Promise<Payment> {
  const { payment, locked } = await lockWithOrders(call, id)
  const { status: asked, reason = null, overrideReason = null, method, checkNumber, accountingId } = body
  if (asked === 'voided')
    throw conflict(
      'wrong_status',
      `Cannot void ${payment.number} by changing its status. Use voidPayment, which requires a reason.`,
    )
  assertMove(PAYMENT_MOVES, payment.status, asked)
  const today = dateIn(call.timeZone, call.now)
  const faults = faultsOf(body, today)
  if (faults.length > 0) throw invalid(faults)
  if (asked === 'approved') assertMayApprove(call, payment)
  const { paymentType } = payment
  const wait = asked === 'rejected' ? null : reasonToWait(locked, paymentType, payableStatuses(paymentType))
  if (wait !== null) throw conflict('open_work', wait)
  const settlement = asked === 'paid' ? settlementOf(payment, body, today) : null
  const objections = asked === 'rejected' ? [] : await objectionsTo(call, payment, settlement)
  const why = [overridden(call, objections, overrideReason), reason].filter((text) => text !== null)
  if (asked === 'rejected') await voidWaivers(call, payment, `${payment.number} was rejected.`)
  const after = await payments.update(call, payment, {
    status: asked,
    ...(asked === 'rejected' && { lienWaiverId: null }),
    accountingId,
    ...(settlement && {
      ...(await amountsPaid(call, payment, { ...settlement, method: method ?? payment.method })),
      ...{ paidDate: settlement.paidDate, method, checkNumber },
    }),
  })
  await recordStatusChange(call, {
    id,
    from: payment.status,
    to: asked,
    reason: why.length === 0 ? null : why.join(' '),
  })
  if (asked === 'paid') await postPayment(call, after, locked)
  if (asked !== 'approved') await settle(call, locked, `${payment.number} was ${asked}.`)
  return after
}

/** When a payment was made, and whether the discount was deducted. */
interface Settlement {
  paidDate: string
  takesDiscount: boolean
}

function settlementOf(payment: Payment, { paidDate, takeDiscount }: PaymentStatusMove, today: string): Settlement {
  const on = paidDate ?? today
  return { paidDate: on, takesDiscount: takeDiscount ?? isInTime(payment, on) }
}

/** Returns the amounts of a payment when it is paid: less the discount, and less the tax withheld from the remainder. */
async function amountsPaid(
  call: WriteCall,
  payment: Payment,
  { paidDate, takesDiscount, method }: Settlement & Pick<Payment, 'method'>,
): Promise<Pick<Payment, 'discountTaken' | 'backupWithheld' | 'amount'>> {
  const discountTaken = takesDiscount ? payment.discountAmount : 0
  const due = minus(payment.amount, discountTaken)
  const backupWithheld = await backupWithheldOf(call, { ...payment, amount: due, paidDate, method })
  return { discountTaken, backupWithheld, amount: minus(due, backupWithheld) }
}

async function objectionsTo(call: WriteCall, payment: Payment, settlement: Settlement | null): Promise<Objection[]> {
  const vendor = await vendors.find(call, payment.vendorId)
  const objections = complianceObjections(vendor)
  if (settlement !== null) objections.push(...(await waiverObjections(call, vendor, payment)))
  if (settlement?.takesDiscount === true && payment.discountAmount > 0 && !isInTime(payment, settlement.paidDate)) {
    const detail = `The discount of ${payment.number} expired${payment.discountDueDate === null ? '' : ` after ${formatDate(payment.discountDueDate)}`}.`
    objections.push({ title: 'Discount taken late', detail, permission: 'pos:write' })
  }
  return objections
}

export async function voidPayment(call: WriteCall, id: string, reason: string): Promise<Payment> {
  const { payment, locked } = await lockWithOrders(call, id)
  assertMove(VOIDABLE, payment.status, 'voided')
  const voidedAt = call.now.toISOString()
  await voidWaivers(call, payment, `${payment.number} was voided.`)
  const changes = { status: 'voided' as const, voidedAt, voidReason: reason, lienWaiverId: null }
  const after = await payments.update(call, payment, changes)
  await recordStatusChange(call, { id, from: payment.status, to: 'voided', reason })
  await recordEvent(call, 'payment.voided', after, payment)
  if (payment.status === 'paid')
    await reverseEntries(call, { paymentId: id }, { note: `${payment.number} was voided.` })
  await settle(call, locked, `${payment.number} was voided.`)
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

function faultsOf(body: PaymentStatusMove, today: string): FieldError[] {
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

function assertMayApprove({ poApprovalLimit }: Call, { amount, currency }: Payment): void {
  if (poApprovalLimit === null || amount <= poApprovalLimit) return
  const [limit, asked] = [poApprovalLimit, amount].map((value) => formatAmount(value, currency))
  throw problem('permission_denied', `Your approval limit is ${limit}. Approving ${asked} needs a higher limit.`)
}
