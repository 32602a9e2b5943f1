import type { Bill, BillLine, BillStatusMove, PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict, problem, validationFailed } from '../../../platform/problems/problem.ts'
import { describeStatus, formatAmount } from '../../../platform/values/format.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import { toPostingDate } from '../../ledger/period.ts'
import { OPEN_STATUSES } from '../../statuses/order-statuses.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { findPartsOfBills, getOpenAmounts } from '../bill-records/parts.ts'
import { postBill } from '../bill-records/post-bill.ts'
import * as bills from '../bill-records/queries.ts'
import { computeBillDates } from '../bill-records/terms.ts'
import { updateBillsAfterPayment } from '../bill-records/update-bills-after-payment.ts'
import { findInvoiceObjections, type PaymentObjection, requireOverride } from '../payments/payment-guards.ts'
import { voidBillRecord } from '../purchase-orders/bill-progress.ts'
import * as orders from '../purchase-orders/queries.ts'
import { moveProgressBy } from '../purchase-orders/record-order-progress.ts'
import { updateOrderAmounts, updateOrdersAfterPayment } from '../purchase-orders/update-orders-after-payment.ts'
import {
  getLockedOrder,
  getSignOfWhole,
  getTotalOfWhole,
  getWholes,
  lockWholes,
  sumOverWhole,
  type Whole,
} from '../purchase-orders/whole.ts'
import { requiresSecondPerson } from './approver-queries.ts'
import { BILL_MOVES, NOT_APPROVED, VOIDABLE } from './bill.ts'
import { addRetainage, determineBillMatch, getLinesOfWhole } from './bill-lines.ts'
import { sumLines } from './create-bill.ts'

export async function changeBillStatus(call: WriteCall, id: string, body: BillStatusMove): Promise<Bill> {
  const { status: requested, reason = null, overrideReason = null } = body
  if (requested === 'void')
    throw conflict('wrong_status', 'Cannot void a bill with changeBillStatus. Use voidBill, which requires a reason.')
  const { locked, before } = await lockBill(call, id)
  assertTransition(BILL_MOVES, before.status, requested)
  if (requested === 'rejected' && reason === null)
    throw validationFailed([{ pointer: '/reason', code: 'required', message: 'is required when status is rejected' }])
  if (requested === 'approved') return approve(call, before, locked, { reason, overrideReason })
  if (requested === 'received') return receive(call, before, { reason, overrideReason })
  return moveBill(call, before, { status: requested, approval: { ...NOT_APPROVED, rejectedReason: reason } }, reason)
}

interface Why {
  reason: string | null
  overrideReason: string | null
}

/**
 * Checks the invoice number again, because another bill with the same number may have been created after this bill was
 * rejected.
 */
async function receive(call: WriteCall, before: Bill, { reason, overrideReason }: Why): Promise<Bill> {
  const vendor = await vendors.lock(call, before.vendorId)
  const except = { bills: [before.id], withPayments: false }
  const objections = await findInvoiceObjections(call, vendor, before.invoiceNumber, except)
  const override = requireOverride(call, objections, overrideReason)
  const why = [override, reason].filter((text) => text !== null).join(' ')
  return moveBill(call, before, { status: 'received', approval: NOT_APPROVED }, why === '' ? null : why)
}

type BillChanges = Partial<
  Pick<
    Bill,
    | ('status' | 'approval' | 'match' | 'grossAmount' | 'retainageWithheld' | 'amount')
    | ('postingDate' | 'dueDate' | 'discountAmount' | 'discountDueDate')
  >
>

async function moveBill(
  call: WriteCall,
  before: Bill,
  changes: BillChanges & Pick<Bill, 'status'>,
  reason: string | null,
): Promise<Bill> {
  const after = await bills.update(call, before, changes)
  await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason })
  const { status } = after
  if (status === 'received' || status === 'approved' || status === 'rejected')
    await recordEvent(call, `bill.${status}`, after, before)
  return after
}

/** Approves a bill, so that its amount is owed to the vendor. */
async function approve(
  call: WriteCall,
  before: Bill,
  locked: readonly PurchaseOrder[],
  { reason, overrideReason }: Why,
): Promise<Bill> {
  const named = locked.filter(({ id }) => before.lines.some(({ poId }) => poId === id))
  const closed = named.find(({ status }) => !OPEN_STATUSES.includes(status))
  if (closed !== undefined)
    throw conflict(
      'wrong_status',
      `Cannot approve ${before.number}: ${closed.number} is ${describeStatus(closed.status)}. Bills can be approved only for orders that are issued and still open.`,
    )
  const { billing, reducing } = toEffects(before, locked)
  for (const whole of billing) assertLeft(before, whole)
  for (const whole of reducing) assertReducible(before, whole)
  const objections = billing.flatMap((whole) => findProgressObjections(before, whole))
  const override = requireOverride(call, objections, overrideReason)
  if (override !== null || before.lines.some(({ poId }) => poId === null)) assertWithinLimit(call, before)
  await assertSecondPerson(call, before)

  const lines = await addRetainage(call, before.lines, locked)
  const sums = sumLines(lines)
  const match = determineBillMatch(lines, locked)
  const postingDate = await toPostingDate(call, before.postingDate)
  await bills.replaceLines(call, before.id, lines)
  const approval = { approvedBy: call.actor, approvedAt: call.now.toISOString(), rejectedReason: null }
  const dates = computeBillDates(before.terms, { ...before, amount: sums.amount })
  const why = [override, reason].filter((text) => text !== null).join(' ')
  const changes = { ...sums, ...dates, postingDate, match, approval }
  const approved = await moveBill(call, before, { status: 'approved', ...changes }, why === '' ? null : why)
  await moveProgress(call, computeMissingProgress(lines, billing), why, postingDate)
  const reduced = reducing.flatMap((whole) => getLinesOfWhole(lines, whole))
  await moveProgress(call, reduced, `${before.number} was approved.`, postingDate)
  await postBill(call, approved, named)
  await updateOrdersAfterPayment(call, await readAgain(call, locked), `${before.number} was approved.`)
  await updateBillsAfterPayment(call, [before.id])
  return bills.find(call, before.id)
}

/**
 * Returns two groups of orders with their change orders: the orders that the bill bills, and the orders whose billed
 * amount it decreases.
 */
function toEffects({ lines }: Bill, locked: readonly PurchaseOrder[]): { billing: Whole[]; reducing: Whole[] } {
  const wholes = getWholes(locked).filter((whole) => getLinesOfWhole(lines, whole).length > 0)
  const bills = (whole: Whole) => getSignOfWhole(whole) * sumLinesOfWhole(lines, whole) > 0
  return { billing: wholes.filter(bills), reducing: wholes.filter((whole) => !bills(whole)) }
}

/** Throws if a credit memo exceeds the billed amount of an order and its change orders. */
function assertReducible({ number, lines }: Bill, whole: Whole): void {
  const gross = sumLinesOfWhole(lines, whole)
  const sign = getSignOfWhole(whole)
  const billed = sumOverWhole(whole, ({ billedAmount }) => billedAmount)
  if (sign * sum([billed, gross]) >= 0) return
  const money = (value: number) => formatAmount(value, whole.root.currency)
  throw conflict(
    'not_enough_left',
    `Cannot approve ${number}: it credits ${money(-sign * gross)}, but only ${money(sign * billed)} of ${whole.root.number} is billed.`,
  )
}

/** Throws if a bill exceeds the unbilled part of the total of an order and its change orders. */
function assertLeft({ number, lines }: Bill, whole: Whole): void {
  const gross = sumLinesOfWhole(lines, whole)
  const sign = getSignOfWhole(whole)
  const left = subtract(
    getTotalOfWhole(whole),
    sumOverWhole(whole, ({ billedAmount }) => billedAmount),
  )
  if (sign * gross <= sign * left) return
  const money = (value: number) => formatAmount(value, whole.root.currency)
  throw conflict(
    'not_enough_left',
    `Cannot approve ${number}: ${money(gross)} exceeds the unbilled amount of ${whole.root.number} (${money(left)}). To bill more, approve a change order first.`,
  )
}

function sumLinesOfWhole(lines: readonly BillLine[], whole: Whole): number {
  return sum(getLinesOfWhole(lines, whole).map(({ amount }) => amount))
}

/** Returns the amount by which a bill exceeds the completed work on an order and its change orders. */
function getAhead(lines: readonly BillLine[], whole: Whole): number {
  const sign = getSignOfWhole(whole)
  const unbilled = sumOverWhole(whole, ({ unbilledAmount }) => unbilledAmount)
  return sign * Math.max(subtract(sign * sumLinesOfWhole(lines, whole), Math.max(sign * unbilled, 0)), 0)
}

function findProgressObjections({ number, lines }: Bill, whole: Whole): PaymentObjection[] {
  const ahead = getAhead(lines, whole)
  if (ahead === 0) return []
  const money = formatAmount(ahead, whole.root.currency)
  return [
    {
      title: 'Bill ahead of work',
      detail: `${number} exceeds the unbilled completed work on ${whole.root.number} by ${money}.`,
      remedy: 'Record the progress of the order first.',
      permission: 'pos:write',
    },
  ]
}

/**
 * Returns the progress that is recorded when a user overrides a mismatch: for each order with its change orders, the
 * amount by which the bill exceeds the completed work.
 */
function computeMissingProgress(lines: readonly BillLine[], billing: readonly Whole[]): BillLine[] {
  return billing.flatMap((whole) => {
    const sign = getSignOfWhole(whole)
    let left = sign * getAhead(lines, whole)
    return getLinesOfWhole(lines, whole).flatMap((line) => {
      const amount = Math.min(left, sign * line.amount)
      if (amount <= 0) return []
      left = subtract(left, amount)
      return { ...line, amount: sign * amount }
    })
  })
}

/** Changes the completed work of locked orders by the amounts of the bill lines. */
async function moveProgress(call: WriteCall, lines: readonly BillLine[], reason: string, on?: string): Promise<void> {
  for (const [poId, own] of Map.groupBy(lines, (line) => line.poId))
    if (poId !== null) await moveProgressBy(call, await orders.find(call, poId), own, { reason, on })
}

function readAgain(call: WriteCall, locked: readonly PurchaseOrder[]): Promise<PurchaseOrder[]> {
  return orders.findAll(
    call,
    locked.map(({ id }) => id),
  )
}

function assertWithinLimit({ poApprovalLimit }: WriteCall, { amount, currency, number }: Bill): void {
  if (poApprovalLimit === null || amount <= poApprovalLimit) return
  const [limit, requested] = [poApprovalLimit, amount].map((value) => formatAmount(value, currency))
  throw problem(
    'permission_denied',
    `Your approval limit is ${limit}. Approving ${number} (${requested}) without a matching order needs a higher limit.`,
  )
}

async function assertSecondPerson(call: WriteCall, { createdBy, number }: Bill): Promise<void> {
  const { type, id } = call.actor
  if (createdBy.type !== type || createdBy.id !== id || !(await requiresSecondPerson(call))) return
  throw problem('permission_denied', `${number} must be approved by a second person, because you created it.`)
}

export async function voidBill(call: WriteCall, id: string, reason: string): Promise<Bill> {
  const { locked, before } = await lockBill(call, id)
  assertTransition(VOIDABLE, before.status, 'void')
  const isApproved = !['draft', 'received'].includes(before.status)
  if (isApproved) await assertUnpaid(call, before)
  const after = await voidBillRecord(call, before, reason)
  if (!isApproved) return after
  if (before.source !== 'completion') {
    const reduced = toEffects(before, locked).reducing.flatMap((whole) => getLinesOfWhole(before.lines, whole))
    const back = reduced.map((line) => ({ ...line, amount: -line.amount }))
    await moveProgress(call, back, `${before.number} was voided.`)
  }
  await updateOrderAmounts(call, await readAgain(call, locked))
  return bills.find(call, id)
}

async function assertUnpaid(call: WriteCall, { id, number }: Bill): Promise<void> {
  const parts = await findPartsOfBills(call, [id])
  const isHeld = await bills.isOnPayment(call, id)
  if (!isHeld && parts.every((part) => getOpenAmounts(part).gross === subtract(part.gross, part.applied))) return
  throw conflict('in_use', `Cannot void ${number}: it has payments. Void the payments first.`)
}

/**
 * Locks a bill and its orders, and returns both. Locks the orders first, ordered by ID, like all code that changes
 * amounts.
 */
async function lockBill(call: WriteCall, id: string): Promise<{ locked: PurchaseOrder[]; before: Bill }> {
  const { lines } = await bills.find(call, id)
  const locked = await lockWholes(call, [...new Set(lines.flatMap(({ poId }) => poId ?? []))])
  const before = await bills.lock(call, id)
  for (const { poId } of before.lines) if (poId !== null) getLockedOrder(locked, poId)
  return { locked, before }
}
