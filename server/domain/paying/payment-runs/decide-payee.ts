import type { Payment, PaymentAllocation, PaymentRunSkip } from '../../../../client/contract.gen.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { isMoney, subtract } from '../../../platform/values/money.ts'
import { OPEN_STATUSES } from '../../statuses/order-statuses.ts'
import {
  amountSign,
  computeWholeAmount,
  computeWithheld,
  findExcess,
  type OrderAccount,
  sumAllocations,
} from '../payments/payment.ts'
import { computeDiscount, computeDueDate, isWithinDiscountPeriod } from '../payments/payment-terms.ts'
import type { OpenOrder, Payee } from './queries.ts'

/** The contract's maximum number of allocations of one payment. */
const MAX_ALLOCATIONS = 200

/**
 * The amounts that a run pays one vendor, and the orders that it skips. The payment is null if nothing remains to be
 * paid.
 */
export interface PayeeDecision {
  payment: PaymentDraft | null
  skipped: PaymentRunSkip[]
}

type PaymentDraft = Pick<
  Payment,
  | ('allocations' | 'grossAmount' | 'retainageWithheld' | 'discountTaken' | 'amount')
  | ('discountAmount' | 'discountDueDate' | 'dueDate')
>

/** The settings that apply to all vendors of a run. */
interface RunTerms {
  currency: string
  timeZone: string
  now: Date
  throughDate: string
  /** IDs of the orders that were paid before without a required waiver. */
  lacking: ReadonlySet<string>
}

type SkipReason = PaymentRunSkip['reason']

/** Returns why one order cannot be paid now, apart from its vendor; null if it can. */
export function findOrderObjection(
  vendor: Payee,
  account: OrderAccount<OpenOrder>,
  when: RunTerms,
): Pick<PaymentRunSkip, 'reason' | 'detail'> | null {
  const found = assessOrder(vendor, account, when)
  return found !== null && 'reason' in found ? found : null
}

/** Decides what a run pays of everything that it found for one vendor. */
export function decidePayee(
  vendor: Payee,
  accounts: readonly OrderAccount<OpenOrder>[],
  when: RunTerms,
): PayeeDecision {
  const skipped: PaymentRunSkip[] = []
  const skip = (reason: SkipReason, detail: string, amount: number, poId: string | null = null) => {
    skipped.push({ vendorId: vendor.id, poId, reason, detail, amount })
  }
  const payable: (DueOrder & { allocation: PaymentAllocation })[] = []
  for (const account of accounts) {
    const found = assessOrder(vendor, account, when)
    if (found === null) continue
    if ('reason' in found) skip(found.reason, found.detail, found.amount, account.order.id)
    else payable.push(found)
  }
  // Amounts that the vendor owes are deducted first; then the orders are paid by due date.
  payable.sort(
    (one, other) => compareAllocations(one) - compareAllocations(other) || (one.dueDate < other.dueDate ? -1 : 1),
  )
  for (const { allocation, number } of payable.splice(MAX_ALLOCATIONS))
    skip(
      'too_many',
      `The payment already has ${MAX_ALLOCATIONS} orders. ${number} can be paid in the next run.`,
      allocation.amount,
      allocation.poId,
    )
  if (payable.length === 0) {
    if (skipped.length === 0) skip('nothing_payable', `${vendor.companyName} has no payable orders.`, 0)
    return { payment: null, skipped }
  }
  const allocations = payable.map(({ allocation }) => allocation)
  const amounts = sumAllocations(allocations)
  const objection = findPaymentObjection(vendor, amounts)
  if (objection !== null) {
    skip(objection.reason, objection.detail, amounts.amount)
    return { payment: null, skipped }
  }
  const [from = ''] = payable.map(({ day }) => day).sort()
  const discount = computeDiscount(
    vendor.paymentTerms,
    { paymentType: 'progress', amount: amounts.amount, currency: when.currency },
    from,
  )
  return {
    payment: { allocations, ...amounts, ...discount, dueDate: computeDueDate(vendor.paymentTerms, from) },
    skipped,
  }
}

const compareAllocations = ({ allocation }: { allocation: PaymentAllocation }) => (allocation.amount < 0 ? 0 : 1)

interface DueOrder {
  number: string
  /** The date on which the work was done, from which the payment terms count. */
  day: string
  dueDate: string
}

/** Returns what to pay of one order, or why it is skipped; null if there is nothing to report. */
function assessOrder(
  { paymentTerms }: Payee,
  account: OrderAccount<OpenOrder>,
  { timeZone, now, throughDate, lacking }: RunTerms,
): (DueOrder & { allocation: PaymentAllocation }) | { reason: SkipReason; detail: string; amount: number } | null {
  const { order, sums } = account
  const sign = amountSign(order)
  // The order may have been closed or paid while this run waited for its lock.
  if (!OPEN_STATUSES.includes(order.status)) return null
  const { number } = order
  const amount = computeWholeAmount(account, 'progress') ?? 0
  if (sign * amount <= 0) {
    if (sums.reserved === 0) return null
    return {
      reason: 'under_way',
      detail: `${number} is already on pending or approved payments.`,
      amount: sums.reserved,
    }
  }
  const allocation = {
    ...{ poId: order.id, lineId: null, amount },
    retainageWithheld: computeWithheld(account, 'progress', amount),
  }
  const objection = findExcess(account, 'progress', allocation)
  if (objection !== null)
    return {
      reason: 'not_payable',
      detail: `The completed work of ${number} exceeds its payable amount.`,
      amount,
    }
  const day = dateIn(timeZone, order.progressedAt === null ? now : new Date(order.progressedAt))
  const dueDate = computeDueDate(paymentTerms, day)
  const net = subtract(amount, allocation.retainageWithheld)
  const { discountAmount, discountDueDate } = computeDiscount(
    paymentTerms,
    { paymentType: 'progress', amount: net, currency: order.currency },
    day,
  )
  const isDiscounted =
    discountAmount > 0 &&
    isWithinDiscountPeriod({ discountDueDate }, dateIn(timeZone, now)) &&
    !isAfter(discountDueDate, throughDate)
  // Amounts that the vendor owes are deducted regardless of due dates.
  if (sign > 0 && dueDate > throughDate && !isDiscounted)
    return { reason: 'not_due', detail: `${number} is not due until ${formatDate(dueDate)}.`, amount: net }
  if (lacking.has(order.id)) {
    const detail = `The lien waiver for an earlier payment of ${number} is missing.`
    return { reason: 'waiver_missing', detail, amount: net }
  }
  return { number, day, dueDate, allocation }
}

function isAfter(date: string | null, other: string): boolean {
  return date !== null && date > other
}

/** Returns why a vendor cannot be paid at all; null if it can. */
export function findVendorObjection({
  companyName,
  status,
  complianceStatus,
}: Payee): { reason: SkipReason; detail: string } | null {
  if (status === 'on_hold') return { reason: 'vendor_on_hold', detail: `Cannot pay ${companyName}: it is on hold.` }
  if (complianceStatus !== 'expired') return null
  return { reason: 'compliance_expired', detail: `The compliance documents of ${companyName} have expired.` }
}

function findPaymentObjection(
  vendor: Payee,
  { grossAmount, amount }: Pick<Payment, 'grossAmount' | 'amount'>,
): { reason: SkipReason; detail: string } | null {
  const { companyName } = vendor
  const objection = findVendorObjection(vendor)
  if (objection !== null) return objection
  if (amount <= 0)
    return { reason: 'vendor_owes', detail: `Nothing to pay: ${companyName} owes you at least as much as you owe.` }
  if (isMoney(grossAmount)) return null
  return {
    reason: 'not_payable',
    detail: `The amount payable to ${companyName} exceeds the maximum of a single payment.`,
  }
}
