import Big from 'big.js'
import type { Bill, BillLine, PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { formatAmount } from '../../../platform/values/format.ts'
import { roundMoney, subtract, sum } from '../../../platform/values/money.ts'
import { getOpenBalances } from '../../ledger/open-balances.ts'
import { reverseEntries } from '../../ledger/reverse-entries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { postBill } from '../bill-records/post-bill.ts'
import * as bills from '../bill-records/queries.ts'
import { computeWithholding, divideRetainage } from '../bill-records/retainage.ts'
import { computeBillDates } from '../bill-records/terms.ts'
import { findBillSums } from './amount-queries.ts'
import { getLineAmount } from './progress.ts'
import * as orders from './queries.ts'
import { getLineRetainagePercents, loadRetainageTerms } from './retainage-terms.ts'
import { updateOrderAmounts } from './update-orders-after-payment.ts'
import { getSignOfWhole, getTotalOfWhole, getWhole, isCountedInTotal, sumOverWhole, type Whole } from './whole.ts'

const NO_INVOICE = { invoiceNumber: null, invoiceKey: null }

/** The dates and the origin of progress that is billed. */
export interface ProgressBilling {
  /** The day on which the work and its bills are posted. Defaults to today. */
  on?: string | undefined
  /** The invoice date of the bills. Defaults to the posting date. */
  invoiceDate?: string
  /** Whether the order was migrated with this progress. If so, accounting already has the invoice for it. */
  isMigrated?: boolean
}

/**
 * Bills new progress of an order and its change orders. Creates an approved bill of each order's unbilled completed
 * work. Reverses removed work on bills that are not on a payment. Returns the updated orders.
 */
export async function billProgress(
  call: WriteCall,
  locked: readonly PurchaseOrder[],
  poId: string,
  { on = toLocalDate(call.timeZone, call.now), invoiceDate = on, isMigrated = false }: ProgressBilling = {},
): Promise<PurchaseOrder[]> {
  const current = await orders.findAll(
    call,
    locked.map(({ id }) => id),
  )
  const whole = getWhole(current, poId)
  const sums = await findBillSums(
    call,
    whole.members.map(({ id }) => id),
  )
  const billedOf = (order: PurchaseOrder) => sums.get(order.id)?.gross ?? 0
  const targets = getTargets(whole, billedOf)
  for (const order of whole.members) {
    const target = targets.get(order.id) ?? 0
    const sign = order.total < 0 ? -1 : 1
    if (sign * target < sign * billedOf(order)) await takeBack(call, whole, order, { billed: billedOf(order), target })
  }
  for (const order of whole.members) {
    const delta = subtract(targets.get(order.id) ?? 0, billedOf(order))
    if ((order.total < 0 ? -1 : 1) * delta > 0)
      await bill(call, whole, order, delta, {
        ...{ ...NO_INVOICE, invoiceDate, postingDate: on },
        migrated: isMigrated && order.id === poId,
      })
  }
  return updateOrderAmounts(call, whole.members)
}

/**
 * Returns the amount to bill for each order. The amounts together never exceed the total. If they would, the excess is
 * deducted from credits that are not completed yet. Credits alone never make the amount to bill negative.
 */
function getTargets(whole: Whole, billedOf: (order: PurchaseOrder) => number): Map<string, number> {
  const sign = getSignOfWhole(whole)
  const total = getTotalOfWhole(whole)
  const done = (order: PurchaseOrder) => sum([order.completedAmount, order.storedAmount])
  const targets = new Map(
    whole.members.map((order) => [
      order.id,
      // For an order that the vendor bills, the target is the billed amount, but not more than the completed work.
      order.billingMethod === 'by_bill' ? limitToTotal(billedOf(order), done(order), order.total) : done(order),
    ]),
  )
  const credits = whole.members.filter((order) => isCountedInTotal(order) && sign * order.total < 0)
  let excess = subtract(sign * sum([...targets.values()]), sign * total)
  for (const order of credits) {
    const target = targets.get(order.id) ?? 0
    const more = Math.min(Math.max(excess, 0), sign * subtract(target, order.total))
    targets.set(order.id, subtract(target, sign * more))
    excess = subtract(excess, more)
  }
  let lacking = Math.max(-sign * sum([...targets.values()]), 0)
  for (const order of credits) {
    const target = targets.get(order.id) ?? 0
    const less = Math.min(lacking, -sign * target)
    targets.set(order.id, sum([target, sign * less]))
    lacking = subtract(lacking, less)
  }
  return targets
}

function limitToTotal(billed: number, done: number, total: number): number {
  const sign = total < 0 ? -1 : 1
  return sign * Math.min(sign * billed, sign * done)
}

/** Voids completion bills of the order, newest first, until the billed amount is at most the target. */
async function takeBack(
  call: WriteCall,
  whole: Whole,
  order: PurchaseOrder,
  { billed, target }: { billed: number; target: number },
): Promise<void> {
  const sign = order.total < 0 ? -1 : 1
  let left = billed
  let last: Bill | null = null
  for (const { id, gross } of await bills.findUnpaidCompletionBills(call, order.id)) {
    if (sign * left <= sign * target) break
    last = await voidBillRecord(call, await bills.lock(call, id), 'Progress was reduced.')
    left = subtract(left, gross)
  }
  if (sign * left > sign * target) {
    const money = (value: number) => formatAmount(value, order.currency)
    throw conflict(
      'not_enough_left',
      `Cannot reduce the completed work on ${order.number} to ${money(target)}: ${money(left)} is billed and included in payments. To reverse paid work, create a credit memo with createBill.`,
    )
  }
  // The remaining amount is billed again with the invoice number of the voided bill. The void and the new bill have the
  // same posting date.
  if (left === target || last === null) return
  const postingDate = toLocalDate(call.timeZone, call.now)
  await bill(call, whole, order, subtract(target, left), { ...last, postingDate })
}

/** Voids a locked bill and reverses its postings. The caller must update the amounts of the bill's orders. */
export async function voidBillRecord(call: WriteCall, before: Bill, reason: string): Promise<Bill> {
  const voidedAt = call.now.toISOString()
  const after = await bills.update(call, before, { status: 'void', voidedAt, voidReason: reason, paidAmount: 0 })
  await recordStatusChange(call, { id: after.id, from: before.status, to: 'void', reason })
  await recordEvent(call, 'bill.voided', after, before)
  await reverseEntries(call, { billId: after.id }, { note: `${after.number} was voided.` })
  return after
}

/** Creates an approved bill for completed work. */
async function bill(
  call: WriteCall,
  whole: Whole,
  order: PurchaseOrder,
  gross: number,
  invoice: Pick<Bill, 'invoiceNumber' | 'invoiceKey' | 'invoiceDate' | 'postingDate' | 'migrated'>,
): Promise<void> {
  const { invoiceNumber, invoiceKey, invoiceDate, postingDate, migrated } = invoice
  const sums = await findBillSums(
    call,
    whole.members.map(({ id }) => id),
  )
  const billed = sum([...sums.values()].map((of) => of.gross))
  const withheld = sum([...sums.values()].map((of) => of.withheld))
  const released = sumOverWhole(whole, (member) => sum([member.releasedAmount, member.releasingAmount]))
  const grossLines = await findLines(call, order, gross)
  const percents = getLineRetainagePercents(whole.members)
  const shares = grossLines.map(({ poId, poLineId, amount }) => ({
    amount,
    percent: percents.get(`${poId} ${poLineId}`) ?? null,
  }))
  const own = shares.flatMap(({ amount, percent }) => (percent === null ? [] : [{ amount, percent }]))
  const held = { billed, withheld, free: subtract(withheld, released) }
  const retainageWithheld = computeWithholding(await loadRetainageTerms(call, whole), held, gross, own)
  const retained = divideRetainage(retainageWithheld, shares, order.currency)
  const lines = grossLines.map((line, i) => ({ ...line, retainageWithheld: retained[i] ?? 0 }))
  const { paymentTerms: terms } = await vendors.find(call, order.vendorId)
  const [number = ''] = await bills.takeNextNumbers(call, 1)
  const amount = subtract(gross, retainageWithheld)
  const { currency } = order
  const now = call.now.toISOString()
  const created = await bills.insert(
    call,
    {
      ...{ number, vendorId: order.vendorId, billType: gross < 0 ? 'credit_memo' : 'invoice', source: 'completion' },
      ...{ status: 'approved', invoiceNumber, invoiceKey, invoiceDate, receivedDate: invoiceDate, postingDate },
      ...{ terms, ...computeBillDates(terms, { invoiceDate, amount, currency }) },
      ...{ grossAmount: gross, retainageWithheld, amount },
      ...{ paidAmount: 0, discountTaken: 0, reservedAmount: 0, currency, match: 'matched', migrated },
      approval: { approvedBy: call.actor, approvedAt: now, rejectedReason: null },
    },
    lines,
  )
  await recordStatusChange(call, { id: created.id, from: null, to: created.status })
  await recordEvent(call, 'bill.approved', created)
  await postBill(call, created, [order])
}

/**
 * Returns a bill line for the unbilled work of each order line. Any difference to `gross` is a credit that counts as
 * completed early, and belongs to the first credit line.
 */
async function findLines(call: WriteCall, order: PurchaseOrder, gross: number): Promise<BillLine[]> {
  const unbilled = await getOpenBalances(call, ['unbilled'], { poIds: [order.id] })
  const amounts = order.lines.map(({ lineId }) =>
    sum(unbilled.flatMap(({ poLineId, amount }) => (poLineId === lineId ? amount : []))),
  )
  const rest = subtract(gross, sum(amounts))
  const at = Math.max(
    order.lines.findIndex((line) => (order.total < 0 ? -1 : 1) * getLineAmount(line) < 0),
    0,
  )
  const exact = amounts.map((amount, i) => (i === at ? sum([amount, rest]) : amount))
  const used = order.lines.flatMap((line, i) => {
    const amount = exact[i] ?? 0
    return amount === 0 ? [] : [{ line, amount }]
  })
  return used.map(({ line, amount }, i) => ({
    ...{ lineId: `line-${i + 1}`, poId: order.id, poLineId: line.lineId, homeId: order.homeId },
    ...{ costCodeId: line.costCodeId, description: line.description, amount },
    taxAmount: getTax(line, amount, order.currency),
    retainageWithheld: 0,
    reportingBox: null,
  }))
}

/** Returns the tax included in an amount of the line. */
function getTax(line: PurchaseOrder['lines'][number], amount: number, currency: string): number {
  const whole = getLineAmount(line)
  return whole === 0 ? 0 : roundMoney(new Big(amount).times(line.taxAmount).div(whole), currency)
}
