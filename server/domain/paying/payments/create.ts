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
import { recordEvent } from '../../../platform/events/record.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, invalid, unknownReference } from '../../../platform/problems/problem.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { describeStatus, formatAmount, toWords } from '../../../platform/values/format.ts'
import { sum } from '../../../platform/values/money.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { billedByLine, paymentSums } from '../purchase-orders/payment-queries.ts'
import * as orders from '../purchase-orders/queries.ts'
import { reserve } from '../purchase-orders/settle.ts'
import { complianceObjections, type Objection, overridden } from './guards.ts'
import {
  type Account,
  amountFaults,
  amountsOf,
  charged,
  type Excess,
  emptySums,
  enterableStatuses,
  isOfWork,
  reasonNotToPay,
  reasonToWait,
  signOf,
  wholeAmount,
  withheldOf,
} from './payment.ts'
import * as payments from './queries.ts'
import { discountOf, dueDateOf } from './terms.ts'

type Body = Checked['PaymentCreate']

/** The payment of one order; without an amount, everything payable. */
interface Wanted {
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
export async function createPayment(call: WriteCall, body: Body): Promise<Payment> {
  const { paymentType, overrideReason = null, invoiceNumber = null, invoiceDate = null } = body
  const { method, replacesPaymentId = null, accountingId, externalId } = body
  const wanted = wantedOf(body)
  const locked = await lockOrders(call, wanted)
  const vendor = await vendors.lock(call, vendorOf(wanted, locked))
  const wait = reasonToWait(locked, paymentType, enterableStatuses(paymentType))
  if (wait !== null) throw conflict('open_work', wait)
  const unpaid = locked.find(({ noPayment }) => noPayment)
  if (unpaid !== undefined) throw conflict('not_suitable', `Cannot pay ${unpaid.number}: it is marked as noPayment.`)
  await assertReplaceable(call, vendor, replacesPaymentId)
  const accounts = await accountsOf(call, locked)
  const { allocations, objections } = await allocate(call, wanted, accounts, paymentType)
  const amounts = amountsOf(allocations)
  const pointer = body.allocations === undefined ? '/grossAmount' : '/allocations'
  const from = invoiceDate ?? dateIn(call.timeZone, call.now)
  const discount =
    discountAsked(body) ??
    discountOf(vendor.paymentTerms, { paymentType, amount: amounts.amount, currency: call.currency }, from)
  const faults = amountFaults(amounts, { paymentType, pointer, discountAmount: discount.discountAmount })
  if (faults.length > 0) throw invalid(faults)
  objections.push(...complianceObjections(vendor), ...(await invoiceObjections(call, vendor, invoiceNumber)))
  const reason = overridden(call, objections, overrideReason)

  const [number = ''] = await payments.nextNumbers(call, 1)
  const homeIds = [...new Set(locked.map(({ homeId }) => homeId))]
  const { id } = await payments.insert(call, {
    ...{ method, invoiceNumber, invoiceDate, replacesPaymentId, accountingId, externalId },
    ...{ ...amounts, ...discount, backupWithheld: 0 },
    ...{ paymentType, status: 'pending' as const, vendorId: vendor.id, currency: call.currency },
    number,
    homeId: homeIds.length === 1 ? homeIds[0] : null,
    poId: locked.length === 1 ? locked[0]?.id : null,
    dueDate: body.dueDate ?? dueDateOf(vendor.paymentTerms, from),
  })
  await payments.insertAllocations(call, [{ id, allocations }])
  await recordStatusChange(call, { id, from: null, to: 'pending', reason })
  const payment = await payments.find(call, id)
  await recordEvent(call, 'payment.created', payment)
  await reserve(call, locked)
  return payment
}

/** Returns the discount that was sent; null to use the vendor's payment terms. */
function discountAsked({ discountAmount, discountDueDate = null }: Body) {
  if (discountAmount !== undefined) return { discountAmount, discountDueDate }
  if (discountDueDate === null) return null
  const message = 'requires discountAmount'
  throw invalid([{ pointer: '/discountDueDate', code: 'exclusive', message }])
}

function wantedOf({ poId, grossAmount, allocations, paymentType }: Body): Wanted[] {
  const fault = (pointer: string, code: string, message: string) => invalid([{ pointer, code, message }])
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
  const faults = allocations.flatMap(({ poId, lineId = null }, i): FieldError[] => {
    const at = `/allocations/${i}`
    if (lineId !== null && !isOfWork(paymentType))
      return [
        { pointer: `${at}/lineId`, code: 'unexpected', message: `cannot be set when paymentType is ${paymentType}` },
      ]
    const first = allocations.findIndex((other) => other.poId === poId && (other.lineId ?? null) === lineId)
    return first < i
      ? [{ pointer: at, code: 'unique', message: 'must be unique; another allocation has the same poId and lineId' }]
      : []
  })
  if (faults.length > 0) throw invalid(faults)
  return allocations.map(({ poId, lineId = null, amount }, i) => {
    const at = `/allocations/${i}`
    return { poId, lineId, amount, pointer: { poId: `${at}/poId`, lineId: `${at}/lineId`, amount: `${at}/amount` } }
  })
}

async function lockOrders(call: WriteCall, wanted: readonly Wanted[]): Promise<PurchaseOrder[]> {
  const ids = [...new Set(wanted.map(({ poId }) => poId))].sort()
  const known = new Set((await orders.findAll(call, ids)).map(({ id }) => id))
  const unknown = wanted.filter(({ poId }) => !known.has(poId))
  if (unknown.length > 0) throw unknownReference(unknown.map(({ pointer }) => pointer.poId))
  const locked: PurchaseOrder[] = []
  for (const id of ids) locked.push(await orders.lock(call, id))
  const lines = new Map(locked.map(({ id, lines }) => [id, new Set(lines.map(({ lineId }) => lineId))]))
  const missing = wanted.filter(({ poId, lineId }) => lineId !== null && lines.get(poId)?.has(lineId) !== true)
  if (missing.length > 0) throw unknownReference(missing.map(({ pointer }) => pointer.lineId))
  return locked
}

/** Returns the vendor of all the orders. Throws if they have several. */
function vendorOf(wanted: readonly Wanted[], locked: readonly PurchaseOrder[]): string {
  const vendorOfOrder = new Map(locked.map(({ id, vendorId }) => [id, vendorId]))
  const [vendorId] = vendorOfOrder.values()
  if (vendorId === undefined) throw new Error('Expected a payment to have at least one order.')
  const others = wanted.filter(({ poId }) => vendorOfOrder.get(poId) !== vendorId)
  if (others.length === 0) return vendorId
  const message = 'must be an order to the same vendor as the other orders'
  throw invalid(others.map(({ pointer }) => ({ pointer: pointer.poId, code: 'other_vendor', message })))
}

async function assertReplaceable(call: WriteCall, vendor: Vendor, id: string | null): Promise<void> {
  if (id === null) return
  const replaced = await payments.findOptional(call, id)
  if (replaced === undefined) throw unknownReference(['/replacesPaymentId'])
  const fault = (code: string, message: string) => invalid([{ pointer: '/replacesPaymentId', code, message }])
  if (replaced.vendorId !== vendor.id) throw fault('other_vendor', 'must be a payment to the same vendor')
  if (replaced.status !== 'voided')
    throw conflict(
      'wrong_status',
      `Cannot replace ${replaced.number}: it is ${replaced.status}. Only a voided payment can be replaced.`,
    )
}

async function accountsOf(
  call: WriteCall,
  locked: readonly PurchaseOrder[],
): Promise<Map<string, Account<PurchaseOrder>>> {
  const ids = locked.map(({ id }) => id)
  const sums = await paymentSums(call, ids)
  return new Map(locked.map((order) => [order.id, { order, sums: sums.get(order.id) ?? emptySums(order.id) }]))
}

/** Allocates the payment to its orders one after the other, and returns the objections. */
async function allocate(
  call: WriteCall,
  wanted: readonly Wanted[],
  accounts: Map<string, Account<PurchaseOrder>>,
  paymentType: PaymentType,
): Promise<{ allocations: PaymentAllocation[]; objections: Objection[] }> {
  const allocations: PaymentAllocation[] = []
  const objections: Objection[] = []
  const faults: FieldError[] = []
  const object = (title: string, detail: string) => objections.push({ title, detail, permission: 'pos:write' })
  for (const { poId, lineId, amount: asked, pointer } of wanted) {
    const account = accounts.get(poId)
    if (account === undefined) throw new Error('Expected every order of a payment to have an account.')
    const { order } = account
    const amount = asked ?? wholeAmount(account, paymentType) ?? 0
    const sign = signOf(order)
    if (asked === undefined && sign * amount <= 0)
      throw conflict('missing_data', `${order.number} has nothing left to pay with a ${toWords(paymentType)} payment.`)
    if (amount === 0 || (sign * amount < 0 && paymentType !== 'adjustment')) {
      const message = sign < 0 ? 'must be negative because the vendor owes it' : 'must be positive'
      faults.push({ pointer: pointer.amount, code: 'sign', message: amount === 0 ? 'must not be zero' : message })
      continue
    }
    const allocation = { poId, lineId, amount, retainageWithheld: withheldOf(account, paymentType, amount) }
    const excess = reasonNotToPay(account, paymentType, allocation)
    if (excess !== null) {
      const most = wholeAmount(account, paymentType)
      object('Exceeds the payable amount', sentenceFor(excess, order, amount, most))
    }
    if (paymentType === 'final' && order.status !== 'completed')
      object(
        'Before completion',
        `${order.number} is ${describeStatus(order.status)}. A final payment needs a completed order.`,
      )
    if (lineId !== null && (await isAboveLine(call, order, lineId, amount)))
      object(
        'Exceeds the payable amount',
        `Line ${lineId} of ${order.number}: the payment of ${formatAmount(amount, order.currency)} exceeds its completed work.`,
      )
    allocations.push(allocation)
    accounts.set(poId, charged(account, paymentType, allocation))
  }
  if (faults.length > 0) throw invalid(faults)
  return { allocations, objections }
}

async function isAboveLine(call: WriteCall, order: PurchaseOrder, lineId: string, amount: number): Promise<boolean> {
  const billed = (await billedByLine(call, order.id)).get(lineId) ?? 0
  const done = order.lines.find((line) => line.lineId === lineId)?.completedAmount ?? 0
  const sign = done < 0 ? -1 : 1
  return sign * sum([billed, amount]) > sign * done
}

function sentenceFor(
  excess: Excess,
  { number, currency }: Pick<PurchaseOrder, 'number' | 'currency'>,
  amount: number,
  most: number | null,
): string {
  const [asked, limit] = [formatAmount(amount, currency), most === null ? '' : ` (${formatAmount(most, currency)})`]
  switch (excess) {
    case 'above_total':
      return `The deposit of ${asked} on ${number} exceeds the total of the order.`
    case 'above_retainage':
      return `The payment of ${asked} exceeds the retainage held on ${number}${limit}.`
    case 'above_paid':
      return `The adjustment of ${asked} exceeds the amount paid on ${number}.`
    case 'above_payable':
      return `The payment of ${asked} exceeds the payable amount of ${number}${limit}.`
  }
}

async function invoiceObjections(call: WriteCall, vendor: Vendor, invoiceNumber: string | null): Promise<Objection[]> {
  if (invoiceNumber === null) return []
  const other = await payments.ofInvoice(call, vendor.id, invoiceNumber)
  if (other === undefined) return []
  const detail = `Invoice ${invoiceNumber} of ${vendor.companyName} is already recorded as ${other.number}.`
  return [{ title: 'Invoice already recorded', detail, permission: 'pos:write' }]
}
