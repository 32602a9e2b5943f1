import type {
  FieldError,
  Payment,
  PaymentAllocation,
  PaymentType,
  PurchaseOrder,
  Vendor,
} from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { describeStatus, formatAmount, humanizeValue } from '../../../platform/values/format.ts'
import { sum } from '../../../platform/values/money.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { findBilledByLine, findPaymentSums } from '../purchase-orders/payment-queries.ts'
import * as orders from '../purchase-orders/queries.ts'
import { reserveAmounts } from '../purchase-orders/settle-orders.ts'
import {
  amountSign,
  applyAllocation,
  computeWholeAmount,
  computeWithheld,
  createEmptySums,
  explainWaiting,
  findAmountErrors,
  findExcess,
  isForWork,
  listEnterableStatuses,
  type OrderAccount,
  type PaymentExcess,
  sumAllocations,
} from './payment.ts'
import { findComplianceObjections, type PaymentObjection, requireOverride } from './payment-guards.ts'
import { computeDiscount, computeDueDate } from './payment-terms.ts'
import * as payments from './queries.ts'

type PaymentInput = Checked['PaymentCreate']

/** The payment of one order; without an amount, everything payable. */
interface RequestedAllocation {
  poId: string
  lineId: string | null
  amount: number | undefined
  /** The JSON pointers of these values in the request. */
  pointer: { poId: string; lineId: string; amount: string }
}

/**
 * Creates a payment. Its orders are locked first, in the order of their IDs, so that two payments of the same orders
 * wait for each other and never both take what remains. The vendor is locked next, so that an invoice is not entered
 * twice concurrently.
 */
export async function createPayment(call: WriteCall, body: PaymentInput): Promise<Payment> {
  const { paymentType, overrideReason = null, invoiceNumber = null, invoiceDate = null } = body
  const { method, replacesPaymentId = null, accountingId, externalId } = body
  const requested = listRequestedAllocations(body)
  const locked = await lockOrders(call, requested)
  const vendor = await vendors.lock(call, requireSingleVendor(requested, locked))
  const wait = explainWaiting(locked, paymentType, listEnterableStatuses(paymentType))
  if (wait !== null) throw conflict('open_work', wait)
  const unpaid = locked.find(({ noPayment }) => noPayment)
  if (unpaid !== undefined) throw conflict('not_suitable', `Cannot pay ${unpaid.number}: it is marked as noPayment.`)
  await assertReplaceable(call, vendor, replacesPaymentId)
  const accounts = await readAccounts(call, locked)
  const { allocations, objections } = await allocatePayment(call, requested, accounts, paymentType)
  const amounts = sumAllocations(allocations)
  const pointer = body.allocations === undefined ? '/grossAmount' : '/allocations'
  const from = invoiceDate ?? dateIn(call.timeZone, call.now)
  const discount =
    readDiscount(body) ??
    computeDiscount(vendor.paymentTerms, { paymentType, amount: amounts.amount, currency: call.currency }, from)
  const errors = findAmountErrors(amounts, { paymentType, pointer, discountAmount: discount.discountAmount })
  if (errors.length > 0) throw validationFailed(errors)
  objections.push(...findComplianceObjections(vendor), ...(await findInvoiceObjections(call, vendor, invoiceNumber)))
  const reason = requireOverride(call, objections, overrideReason)

  const [number = ''] = await payments.takeNextNumbers(call, 1)
  const homeIds = [...new Set(locked.map(({ homeId }) => homeId))]
  const { id } = await payments.insert(call, {
    ...{ method, invoiceNumber, invoiceDate, replacesPaymentId, accountingId, externalId },
    ...{ ...amounts, ...discount, backupWithheld: 0 },
    ...{ paymentType, status: 'pending' as const, vendorId: vendor.id, currency: call.currency },
    number,
    homeId: homeIds.length === 1 ? homeIds[0] : null,
    poId: locked.length === 1 ? locked[0]?.id : null,
    dueDate: body.dueDate ?? computeDueDate(vendor.paymentTerms, from),
  })
  await payments.insertAllocations(call, [{ id, allocations }])
  await recordStatusChange(call, { id, from: null, to: 'pending', reason })
  const payment = await payments.find(call, id)
  await recordEvent(call, 'payment.created', payment)
  await reserveAmounts(call, locked)
  return payment
}

/** Returns the discount that was sent; null to use the vendor's payment terms. */
function readDiscount({ discountAmount, discountDueDate = null }: PaymentInput) {
  if (discountAmount !== undefined) return { discountAmount, discountDueDate }
  if (discountDueDate === null) return null
  const message = 'requires discountAmount'
  throw validationFailed([{ pointer: '/discountDueDate', code: 'exclusive', message }])
}

function listRequestedAllocations({
  poId,
  grossAmount,
  allocations,
  paymentType,
}: PaymentInput): RequestedAllocation[] {
  const fault = (pointer: string, code: string, message: string) => validationFailed([{ pointer, code, message }])
  if (allocations === undefined) {
    if (poId === undefined) throw fault('/poId', 'required', 'is required unless allocations is set')
    if (grossAmount === undefined && (paymentType === 'deposit' || paymentType === 'adjustment'))
      throw fault('/grossAmount', 'required', `is required when paymentType is ${paymentType}`)
    const pointer = { poId: '/poId', lineId: '/poId', amount: '/grossAmount' }
    return [{ poId, lineId: null, amount: grossAmount, pointer }]
  }
  if (poId !== undefined) throw fault('/poId', 'exclusive', 'cannot be combined with allocations')
  if (grossAmount !== undefined)
    throw fault('/grossAmount', 'exclusive', 'cannot be combined with allocations; it is set to their sum')
  const errors = allocations.flatMap(({ poId, lineId = null }, i): FieldError[] => {
    const at = `/allocations/${i}`
    if (lineId !== null && !isForWork(paymentType))
      return [
        { pointer: `${at}/lineId`, code: 'unexpected', message: `cannot be set when paymentType is ${paymentType}` },
      ]
    const first = allocations.findIndex((other) => other.poId === poId && (other.lineId ?? null) === lineId)
    return first < i
      ? [{ pointer: at, code: 'unique', message: 'must be unique; another allocation has the same poId and lineId' }]
      : []
  })
  if (errors.length > 0) throw validationFailed(errors)
  return allocations.map(({ poId, lineId = null, amount }, i) => {
    const at = `/allocations/${i}`
    return { poId, lineId, amount, pointer: { poId: `${at}/poId`, lineId: `${at}/lineId`, amount: `${at}/amount` } }
  })
}

async function lockOrders(call: WriteCall, requested: readonly RequestedAllocation[]): Promise<PurchaseOrder[]> {
  const ids = [...new Set(requested.map(({ poId }) => poId))].sort()
  const known = new Set((await orders.findAll(call, ids)).map(({ id }) => id))
  const unknown = requested.filter(({ poId }) => !known.has(poId))
  if (unknown.length > 0) throw unknownReference(unknown.map(({ pointer }) => pointer.poId))
  const locked: PurchaseOrder[] = []
  for (const id of ids) locked.push(await orders.lock(call, id))
  const lines = new Map(locked.map(({ id, lines }) => [id, new Set(lines.map(({ lineId }) => lineId))]))
  const missing = requested.filter(({ poId, lineId }) => lineId !== null && lines.get(poId)?.has(lineId) !== true)
  if (missing.length > 0) throw unknownReference(missing.map(({ pointer }) => pointer.lineId))
  return locked
}

/** Returns the vendor of all the orders. Throws if they have several. */
function requireSingleVendor(requested: readonly RequestedAllocation[], locked: readonly PurchaseOrder[]): string {
  const vendorOfOrder = new Map(locked.map(({ id, vendorId }) => [id, vendorId]))
  const [vendorId] = vendorOfOrder.values()
  if (vendorId === undefined) throw new Error('Expected a payment to have at least one order.')
  const others = requested.filter(({ poId }) => vendorOfOrder.get(poId) !== vendorId)
  if (others.length === 0) return vendorId
  const message = 'must be an order to the same vendor as the other orders'
  throw validationFailed(others.map(({ pointer }) => ({ pointer: pointer.poId, code: 'other_vendor', message })))
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

async function readAccounts(
  call: WriteCall,
  locked: readonly PurchaseOrder[],
): Promise<Map<string, OrderAccount<PurchaseOrder>>> {
  const ids = locked.map(({ id }) => id)
  const sums = await findPaymentSums(call, ids)
  return new Map(locked.map((order) => [order.id, { order, sums: sums.get(order.id) ?? createEmptySums(order.id) }]))
}

/** Allocates the payment to its orders one after the other, and returns the objections. */
async function allocatePayment(
  call: WriteCall,
  requested: readonly RequestedAllocation[],
  accounts: Map<string, OrderAccount<PurchaseOrder>>,
  paymentType: PaymentType,
): Promise<{ allocations: PaymentAllocation[]; objections: PaymentObjection[] }> {
  const allocations: PaymentAllocation[] = []
  const objections: PaymentObjection[] = []
  const errors: FieldError[] = []
  const object = (title: string, detail: string) => objections.push({ title, detail, permission: 'pos:write' })
  for (const { poId, lineId, amount: asked, pointer } of requested) {
    const account = accounts.get(poId)
    if (account === undefined) throw new Error('Expected every order of a payment to have an account.')
    const { order } = account
    const amount = asked ?? computeWholeAmount(account, paymentType) ?? 0
    const sign = amountSign(order)
    if (asked === undefined && sign * amount <= 0)
      throw conflict(
        'missing_data',
        `${order.number} has nothing left to pay with a ${humanizeValue(paymentType)} payment.`,
      )
    if (amount === 0 || (sign * amount < 0 && paymentType !== 'adjustment')) {
      const message = sign < 0 ? 'must be negative because the vendor owes it' : 'must be positive'
      errors.push({ pointer: pointer.amount, code: 'sign', message: amount === 0 ? 'must not be zero' : message })
      continue
    }
    const allocation = { poId, lineId, amount, retainageWithheld: computeWithheld(account, paymentType, amount) }
    const excess = findExcess(account, paymentType, allocation)
    if (excess !== null) {
      const max = computeWholeAmount(account, paymentType)
      object('Exceeds the payable amount', describeExcess(excess, order, amount, max))
    }
    if (paymentType === 'final' && order.status !== 'completed')
      object(
        'Before completion',
        `${order.number} is ${describeStatus(order.status)}. A final payment needs a completed order.`,
      )
    if (lineId !== null && (await exceedsLine(call, order, lineId, amount)))
      object(
        'Exceeds the payable amount',
        `Line ${lineId} of ${order.number}: the payment of ${formatAmount(amount, order.currency)} exceeds its completed work.`,
      )
    allocations.push(allocation)
    accounts.set(poId, applyAllocation(account, paymentType, allocation))
  }
  if (errors.length > 0) throw validationFailed(errors)
  return { allocations, objections }
}

async function exceedsLine(call: WriteCall, order: PurchaseOrder, lineId: string, amount: number): Promise<boolean> {
  const billed = (await findBilledByLine(call, order.id)).get(lineId) ?? 0
  const done = order.lines.find((line) => line.lineId === lineId)?.completedAmount ?? 0
  const sign = done < 0 ? -1 : 1
  return sign * sum([billed, amount]) > sign * done
}

function describeExcess(
  excess: PaymentExcess,
  { number, currency }: Pick<PurchaseOrder, 'number' | 'currency'>,
  amount: number,
  max: number | null,
): string {
  const [requested, limit] = [formatAmount(amount, currency), max === null ? '' : ` (${formatAmount(max, currency)})`]
  switch (excess) {
    case 'above_total':
      return `The deposit of ${requested} on ${number} exceeds the total of the order.`
    case 'above_retainage':
      return `The payment of ${requested} exceeds the retainage held on ${number}${limit}.`
    case 'above_paid':
      return `The adjustment of ${requested} exceeds the amount paid on ${number}.`
    case 'above_payable':
      return `The payment of ${requested} exceeds the payable amount of ${number}${limit}.`
  }
}

async function findInvoiceObjections(
  call: WriteCall,
  vendor: Vendor,
  invoiceNumber: string | null,
): Promise<PaymentObjection[]> {
  if (invoiceNumber === null) return []
  const other = await payments.findByInvoice(call, vendor.id, invoiceNumber)
  if (other === undefined) return []
  const detail = `Invoice ${invoiceNumber} of ${vendor.companyName} is already recorded as ${other.number}.`
  return [{ title: 'Invoice already recorded', detail, permission: 'pos:write' }]
}
