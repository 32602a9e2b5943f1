import type {
  Bill,
  FieldError,
  Payment,
  PaymentAllocation,
  PurchaseOrder,
  Vendor,
} from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { toInvoiceKey } from '../bill-records/invoice-key.ts'
import { type BillPart, findPartsOfBills, findPartsOfOrders } from '../bill-records/parts.ts'
import * as bills from '../bill-records/queries.ts'
import { getDueDate } from '../bill-records/terms.ts'
import { updateBillsAfterPayment } from '../bill-records/update-bills-after-payment.ts'
import * as orders from '../purchase-orders/queries.ts'
import { updateOrderAmounts, updateOrdersAfterPayment } from '../purchase-orders/update-orders-after-payment.ts'
import { lockWholes } from '../purchase-orders/whole.ts'
import { allocatePayment, type Wanted } from './allocate.ts'
import { assertCanApprove } from './change-payment-status.ts'
import { assertMigratable, toPaidFields } from './migrate-payment.ts'
import {
  explainWhyPaymentMustWait,
  findPaymentAmountErrors,
  isPaymentForWork,
  listEnterableStatuses,
  sumAllocations,
} from './payment.ts'
import { findComplianceObjections, findInvoiceObjections, requireOverride } from './payment-guards.ts'
import {
  addDiscount,
  applyTimelyDiscounts,
  computeDiscount,
  findFirstDueDate,
  NO_DISCOUNT,
  sumDiscounts,
} from './payment-terms.ts'
import { postPayment } from './post-payment.ts'
import * as payments from './queries.ts'

type PaymentInput = Checked['PaymentCreate']

/**
 * Creates a payment. Locks the orders first, in the order of their IDs, so that two concurrent payments of the same
 * orders cannot both use the remaining amount. Then locks the vendor, so that two concurrent requests cannot use the
 * same invoice number.
 */
export async function createPayment(call: WriteCall, body: PaymentInput): Promise<Payment> {
  return enterPayment(call, body, listRequestedAllocations(body))
}

/**
 * Creates a new payment with the allocations of a voided payment. The new payment can have more allocations than a
 * request allows.
 */
export function reissuePayment(
  call: WriteCall,
  body: Omit<PaymentInput, 'allocations' | 'poId' | 'billId'>,
  allocations: readonly PaymentAllocation[],
): Promise<Payment> {
  const pointer = { billId: '/paymentId', poId: '/paymentId', lineId: '/paymentId', amount: '/paymentId' }
  const requested = allocations.map(({ billId, poId, lineId, amount }) => ({
    ...{ billId, poId, lineId, amount, pointer },
  }))
  return enterPayment(call, body, requested)
}

async function enterPayment(call: WriteCall, body: PaymentInput, wanted: readonly Wanted[]): Promise<Payment> {
  const { paymentType, overrideReason = null, invoiceNumber = null, invoiceDate = null } = body
  const { method, replacesPaymentId = null, accountingId, externalId, migration } = body
  if (migration !== undefined) assertMigratable(call, body, migration)
  const named = await findBills(call, wanted)
  const locked = await lockOrders(call, wanted, named)
  const vendor = await vendors.lock(call, requireSingleVendor(wanted, locked, named))
  assertPayableBills(
    await bills.findAll(
      call,
      named.map(({ id }) => id),
    ),
  )
  const paidOrders = locked.filter(
    ({ id }) =>
      wanted.some(({ poId }) => poId === id) || named.some(({ lines }) => lines.some(({ poId }) => poId === id)),
  )
  const wait = explainWhyPaymentMustWait(paidOrders, paymentType, listEnterableStatuses(paymentType))
  if (wait !== null) throw conflict('open_work', wait)
  const unpaid = paidOrders.find(({ noPayment }) => noPayment)
  if (unpaid !== undefined) throw conflict('not_suitable', `Cannot pay ${unpaid.number}: it is marked as noPayment.`)
  await assertReplaceable(call, vendor, replacesPaymentId)
  const today = toLocalDate(call.timeZone, call.now)
  const parts = await findPayableParts(call, locked, named)
  const ground = { vendorId: vendor.id, currency: call.currency, locked, parts }
  const { allocations: exact, objections } = await allocatePayment(call, wanted, ground, paymentType)
  const amounts = sumAllocations(exact)
  const terms = { paymentType, amount: amounts.amount, currency: call.currency }
  const offered =
    readDiscount(body) ?? (invoiceDate === null ? null : computeDiscount(vendor.paymentTerms, terms, invoiceDate))
  // A migrated payment was already made, so a discount no longer applies.
  const requested = migration === undefined ? offered : NO_DISCOUNT
  const allocations =
    requested === null ? applyTimelyDiscounts(exact, today) : addDiscount(exact, requested, call.currency)
  const discount = requested ?? sumDiscounts(allocations)
  const pointer = body.allocations === undefined ? '/grossAmount' : '/allocations'
  const errors = findPaymentAmountErrors(amounts, { paymentType, pointer, discountAmount: discount.discountAmount })
  if (errors.length > 0) throw validationFailed(errors)
  const billIds = [...new Set(allocations.flatMap(({ billId }) => billId ?? []))]
  const except = { bills: billIds, withPayments: false }
  // A migrated payment is recorded without checks, even if it is the second payment for an invoice.
  if (migration === undefined)
    objections.push(
      ...findComplianceObjections(vendor),
      ...(await findInvoiceObjections(call, vendor, invoiceNumber, except)),
    )
  const reason = requireOverride(call, objections, overrideReason)

  const [next = ''] = migration === undefined ? await payments.takeNextNumbers(call, 1) : []
  const poIds = new Set(allocations.map(({ poId }) => poId))
  const { id } = await payments.insert(call, {
    ...{ method, invoiceNumber, invoiceDate, replacesPaymentId, accountingId, externalId },
    ...{ ...amounts, ...discount, backupWithheld: 0 },
    ...{ paymentType, vendorId: vendor.id, currency: call.currency, migrated: migration !== undefined },
    ...(migration === undefined ? { number: next, status: 'pending' as const } : toPaidFields(migration)),
    homeId: getHome(locked, allocations, named),
    poId: poIds.size === 1 ? [...poIds][0] : null,
    dueDate:
      body.dueDate ??
      (invoiceDate === null
        ? (findFirstDueDate(allocations) ?? getDueDate(vendor.paymentTerms, today))
        : getDueDate(vendor.paymentTerms, invoiceDate)),
  })
  await payments.insertAllocations(call, [{ id, allocations, invoiceNumber }])
  const payment = await payments.find(call, id)
  await recordStatusChange(call, { id, from: null, to: payment.status, reason })
  await recordEvent(call, 'payment.created', payment)
  if (migration === undefined) await updateOrderAmounts(call, locked)
  else {
    assertCanApprove(call, payment)
    const taken = payment.allocations.map(() => 0)
    await postPayment(call, payment, taken, locked)
    await updateOrdersAfterPayment(call, locked, `${payment.number} was paid.`)
  }
  await updateBillsAfterPayment(call, billIds)
  if (invoiceNumber !== null) await nameBills(call, billIds, invoiceNumber)
  return payment
}

/** Returns the bills that the request refers to. Throws if a bill is unknown. */
async function findBills(call: WriteCall, requested: readonly Wanted[]): Promise<Bill[]> {
  const ids = [...new Set(requested.flatMap(({ billId }) => billId ?? []))].sort()
  const found = await bills.findAll(call, ids)
  const known = new Set(found.map(({ id }) => id))
  const unknown = requested.flatMap(({ billId, pointer }) =>
    billId === null || known.has(billId) ? [] : pointer.billId,
  )
  if (unknown.length > 0) throw unknownReference(unknown)
  return found
}

function assertPayableBills(named: readonly Bill[]): void {
  const bill = named.find(({ status }) => !['approved', 'partially_paid', 'paid'].includes(status))
  if (bill === undefined) return
  throw conflict(
    'wrong_status',
    `Cannot pay ${bill.number}: it is ${describeStatus(bill.status)}. Approve the bill first.`,
  )
}

async function findPayableParts(
  call: WriteCall,
  locked: readonly PurchaseOrder[],
  named: readonly Bill[],
): Promise<BillPart[]> {
  const ofOrders = await findPartsOfOrders(
    call,
    locked.map(({ id }) => id),
  )
  const ofBills = await findPartsOfBills(
    call,
    named.map(({ id }) => id),
  )
  return [...ofOrders, ...ofBills.filter(({ poId }) => poId === null)]
}

/** Returns the home that all paid orders and bills have in common; null if there is more than one home. */
function getHome(
  locked: readonly PurchaseOrder[],
  allocations: readonly PaymentAllocation[],
  named: readonly Bill[],
): string | null {
  const ofOrder = new Map(locked.map(({ id, homeId }) => [id, homeId]))
  const homeIds = new Set(
    allocations.flatMap(({ poId, billId }) =>
      poId !== null
        ? (ofOrder.get(poId) ?? [])
        : (named.find(({ id }) => id === billId)?.lines ?? []).flatMap((line) =>
            line.poId === null ? line.homeId : [],
          ),
    ),
  )
  const [homeId = null] = homeIds
  return homeIds.size === 1 ? homeId : null
}

/** Sets the vendor's invoice number on paid bills without a number. */
async function nameBills(call: WriteCall, billIds: readonly string[], invoiceNumber: string): Promise<void> {
  for (const bill of await bills.findAll(call, billIds))
    if (bill.invoiceNumber === null)
      await bills.update(call, bill, { invoiceNumber, invoiceKey: toInvoiceKey(invoiceNumber) })
}

/** Returns the discount in the request; null if the vendor's payment terms apply. */
function readDiscount({ discountAmount, discountDueDate = null }: PaymentInput) {
  if (discountAmount !== undefined) return { discountAmount, discountDueDate }
  if (discountDueDate === null) return null
  const message = 'requires discountAmount'
  throw validationFailed([{ pointer: '/discountDueDate', code: 'exclusive', message }])
}

function listRequestedAllocations({
  poId,
  billId,
  amount,
  grossAmount,
  allocations,
  paymentType,
}: PaymentInput): Wanted[] {
  const fault = (pointer: string, code: string, message: string) => validationFailed([{ pointer, code, message }])
  if (amount !== undefined && billId === undefined) throw fault('/amount', 'unexpected', 'requires billId')
  if (allocations === undefined) {
    if (poId === undefined && billId === undefined)
      throw fault('/poId', 'required', 'is required unless billId or allocations is set')
    if (poId !== undefined && billId !== undefined) throw fault('/billId', 'exclusive', 'cannot be combined with poId')
    if (billId !== undefined && !isPaymentForWork(paymentType))
      throw fault('/billId', 'unexpected', `cannot be set when paymentType is ${paymentType}`)
    if (amount !== undefined && grossAmount !== undefined)
      throw fault('/grossAmount', 'exclusive', 'cannot be combined with amount')
    if (grossAmount === undefined && (paymentType === 'deposit' || paymentType === 'adjustment'))
      throw fault('/grossAmount', 'required', `is required when paymentType is ${paymentType}`)
    const pointer = { billId: '/billId', poId: '/poId', lineId: '/poId', amount: '/grossAmount' }
    return [{ billId: billId ?? null, poId: poId ?? null, lineId: null, amount: grossAmount, net: amount, pointer }]
  }
  if (poId !== undefined) throw fault('/poId', 'exclusive', 'cannot be combined with allocations')
  if (billId !== undefined) throw fault('/billId', 'exclusive', 'cannot be combined with allocations')
  if (grossAmount !== undefined)
    throw fault('/grossAmount', 'exclusive', 'cannot be combined with allocations; it is set to their sum')
  const errors = allocations.flatMap(({ poId, billId, lineId = null }, i): FieldError[] => {
    const at = `/allocations/${i}`
    if (poId === undefined && billId === undefined)
      return [{ pointer: `${at}/poId`, code: 'required', message: 'is required unless billId is set' }]
    if (billId !== undefined && !isPaymentForWork(paymentType))
      return [
        { pointer: `${at}/billId`, code: 'unexpected', message: `cannot be set when paymentType is ${paymentType}` },
      ]
    if (lineId !== null && !isPaymentForWork(paymentType))
      return [
        { pointer: `${at}/lineId`, code: 'unexpected', message: `cannot be set when paymentType is ${paymentType}` },
      ]
    const first = allocations.findIndex(
      (other) => other.poId === poId && other.billId === billId && (other.lineId ?? null) === lineId,
    )
    return first < i
      ? [{ pointer: at, code: 'unique', message: 'must be unique; another allocation has the same poId and lineId' }]
      : []
  })
  if (errors.length > 0) throw validationFailed(errors)
  return allocations.map(({ poId, billId, lineId = null, amount }, i) => {
    const at = `/allocations/${i}`
    const pointer = { billId: `${at}/billId`, poId: `${at}/poId`, lineId: `${at}/lineId`, amount: `${at}/amount` }
    return { billId: billId ?? null, poId: poId ?? null, lineId, amount, pointer }
  })
}

async function lockOrders(
  call: WriteCall,
  requested: readonly Wanted[],
  named: readonly Bill[],
): Promise<PurchaseOrder[]> {
  const asked = requested.flatMap(({ poId }) => poId ?? [])
  const ids = [...new Set([...asked, ...named.flatMap(({ lines }) => lines.flatMap(({ poId }) => poId ?? []))])].sort()
  const known = new Set((await orders.findAll(call, ids)).map(({ id }) => id))
  const unknown = requested.filter(({ poId }) => poId !== null && !known.has(poId))
  if (unknown.length > 0) throw unknownReference(unknown.map(({ pointer }) => pointer.poId))
  const locked = await lockWholes(call, ids)
  const lines = new Map(locked.map(({ id, lines }) => [id, new Set(lines.map(({ lineId }) => lineId))]))
  const missing = requested.filter(
    ({ poId, lineId }) => poId !== null && lineId !== null && lines.get(poId)?.has(lineId) !== true,
  )
  if (missing.length > 0) throw unknownReference(missing.map(({ pointer }) => pointer.lineId))
  return locked
}

/** Returns the vendor that all orders and bills have in common. Throws if they have different vendors. */
function requireSingleVendor(
  requested: readonly Wanted[],
  locked: readonly PurchaseOrder[],
  named: readonly Bill[],
): string {
  const vendorOfRecord = new Map([...locked, ...named].map(({ id, vendorId }) => [id, vendorId]))
  const pointed = requested.flatMap(({ poId, billId, pointer }) => [
    ...(poId === null ? [] : [{ vendorId: vendorOfRecord.get(poId), pointer: pointer.poId }]),
    ...(billId === null ? [] : [{ vendorId: vendorOfRecord.get(billId), pointer: pointer.billId }]),
  ])
  const vendorId = pointed[0]?.vendorId
  if (vendorId === undefined) throw new Error('Expected a payment to have at least one order or bill.')
  const others = pointed.filter((one) => one.vendorId !== vendorId)
  if (others.length === 0) return vendorId
  const message = 'must be from the same vendor as the other orders and bills'
  throw validationFailed(others.map(({ pointer }) => ({ pointer, code: 'other_vendor', message })))
}

async function assertReplaceable(call: WriteCall, vendor: Vendor, id: string | null): Promise<void> {
  if (id === null) return
  const replaced = await payments.findOptional(call, id)
  if (replaced === undefined) throw unknownReference(['/replacesPaymentId'])
  const fault = (code: string, message: string) => validationFailed([{ pointer: '/replacesPaymentId', code, message }])
  if (replaced.vendorId !== vendor.id) throw fault('other_vendor', 'must be a payment to the same vendor')
  if (replaced.status !== 'voided')
    throw conflict(
      'wrong_status',
      `Cannot replace ${replaced.number}: it is ${replaced.status}. Only a voided payment can be replaced.`,
    )
}
