import type { Payment, PaymentAllocation, PaymentRunSkip, PurchaseOrder } from '../../../../client/contract.gen.ts'
import { formatAmount, formatDate } from '../../../platform/values/format.ts'
import { isWithinMoneyRange, subtract, sum } from '../../../platform/values/money.ts'
import { OPEN_STATUSES } from '../../statuses/order-statuses.ts'
import { allocateGross, type BillPart, getOpenAmounts, getReservedAmount } from '../bill-records/parts.ts'
import { isDiscountAvailable } from '../bill-records/terms.ts'
import { sumAllocations } from '../payments/payment.ts'
import { applyTimelyDiscounts, findFirstDueDate, sumDiscounts } from '../payments/payment-terms.ts'
import { getSignOfWhole, getTotalOfWhole, sumOverWhole, type Whole } from '../purchase-orders/whole.ts'
import type { Payee } from './queries.ts'

/** The maximum number of allocations of one payment in the API contract. */
const MAX_ALLOCATIONS = 200

/**
 * The amounts that a run pays to one vendor, and the orders that it skips. The payment is null if there is nothing to
 * pay.
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
export interface RunTerms {
  today: string
  throughDate: string
  /** IDs of the orders that have an earlier payment without a required lien waiver. */
  lacking: ReadonlySet<string>
  /** IDs of the bills that the caller selected, which are paid even before they are due. */
  chosen: ReadonlySet<string>
}

/** A part of an approved bill, its order, and the order with all of its change orders (`whole`). */
export interface Account {
  part: BillPart
  order: Pick<PurchaseOrder, 'id' | 'number' | 'status'> | null
  whole: Whole | null
}

type SkipReason = PaymentRunSkip['reason']
type Objection = Pick<PaymentRunSkip, 'reason' | 'detail'>

const getName = ({ part, order }: Account) => order?.number ?? part.billNumber

/**
 * Returns the reason that prevents the payment of one part of a bill; null if there is none. Ignores reasons that apply
 * to the vendor as a whole.
 */
export function findPartObjection(
  account: Account,
  { today, throughDate, lacking, chosen }: RunTerms,
): Objection | null {
  const { part, order } = account
  const name = getName(account)
  const open = getOpenAmounts(part)
  if (open.net === 0)
    return { reason: 'under_way', detail: `${name} is already included in pending or approved payments.` }
  if (part.holdReason !== null)
    return { reason: 'bill_on_hold', detail: `${part.billNumber} is on hold: ${part.holdReason}` }
  const { discountAmount, discountDueDate } = allocateGross(part, open.gross)
  const isDiscounted =
    discountAmount > 0 && isDiscountAvailable({ discountDueDate }, today) && (discountDueDate ?? '') <= throughDate
  // Deduct amounts that the vendor owes regardless of their due dates.
  if (open.net > 0 && part.dueDate > throughDate && !isDiscounted && !chosen.has(part.billId))
    return { reason: 'not_due', detail: `${name} is not due until ${formatDate(part.dueDate)}.` }
  if (order !== null && lacking.has(order.id))
    return { reason: 'waiver_missing', detail: `The lien waiver for an earlier payment of ${order.number} is missing.` }
  return null
}

/**
 * Decides which of the open amounts of one vendor a run pays. `credit` is the amount by which earlier payments to the
 * vendor exceeded its orders.
 */
export function decidePayeeAmounts(
  vendor: Payee,
  accounts: readonly Account[],
  credit: number,
  terms: RunTerms,
): PayeeDecision {
  const skipped: PaymentRunSkip[] = []
  const skip = (reason: SkipReason, detail: string, amount: number, part?: BillPart) => {
    const { billId = null, poId = null } = part ?? {}
    skipped.push({ vendorId: vendor.id, billId, poId, reason, detail, amount })
  }
  const payable: Account[] = []
  for (const account of accounts) {
    const { part, order } = account
    // Another transaction may have closed or paid the order while this run waited for the lock.
    if (order !== null && !OPEN_STATUSES.includes(order.status)) continue
    const { net } = getOpenAmounts(part)
    if (net === 0 && getReservedAmount(part) === 0) continue
    const objection = findPartObjection(account, terms)
    if (objection === null) payable.push(account)
    else skip(objection.reason, objection.detail, net === 0 ? getReservedAmount(part) : net, part)
  }
  // First deduct amounts that the vendor owes. Then pay the bills by due date.
  payable.sort((one, other) => getRank(one) - getRank(other) || (one.part.dueDate < other.part.dueDate ? -1 : 1))
  const max = credit > 0 ? MAX_ALLOCATIONS - 1 : MAX_ALLOCATIONS
  for (const account of payable.splice(max)) {
    const detail = `The payment already has ${max} bills. ${getName(account)} can be paid in the next run.`
    skip('too_many', detail, getOpenAmounts(account.part).net, account.part)
  }
  const rooms = new Map<Whole, number>()
  const exact = payable.flatMap((account) => {
    const allocation = allocateGross(account.part, getOpenAmounts(account.part).gross)
    if (hasRoom(rooms, account, subtract(allocation.amount, allocation.retainageWithheld))) return allocation
    const detail = `${getName(account)} cannot be paid: together with the existing payments, it would exceed the total of its order.`
    skip('not_payable', detail, getOpenAmounts(account.part).net, account.part)
    return []
  })
  if (exact.length === 0) {
    if (skipped.length === 0) skip('nothing_payable', `${vendor.companyName} has no payable bills.`, 0)
    return { payment: null, skipped }
  }
  const allocations = withCredit(applyTimelyDiscounts(exact, terms.today), credit)
  const amounts = sumAllocations(allocations)
  const objection = findPaymentObjection(vendor, amounts)
  if (objection !== null) {
    skip(objection.reason, objection.detail, amounts.amount)
    return { payment: null, skipped }
  }
  const deducted = sum(allocations.flatMap(({ billId, amount }) => (billId === null ? -amount : [])))
  if (deducted > 0) {
    const money = formatAmount(deducted, vendor.currency)
    skip('vendor_credit', `A credit of ${money} from an earlier overpayment was deducted.`, deducted)
  }
  const dueDate = findFirstDueDate(allocations) ?? terms.throughDate
  return { payment: { allocations, ...amounts, ...sumDiscounts(allocations), dueDate }, skipped }
}

const getRank = ({ part }: Account) => (getOpenAmounts(part).net < 0 ? 0 : 1)

/**
 * Returns whether the amount fits in the remaining total of the order with its change orders, and subtracts the amount
 * from `rooms`.
 */
function hasRoom(rooms: Map<Whole, number>, { whole }: Account, net: number): boolean {
  if (whole === null) return true
  const sign = getSignOfWhole(whole)
  const provided = sumOverWhole(whole, (order) => sum([order.paidAmount, order.reservedAmount, order.releasingAmount]))
  const room = rooms.get(whole) ?? sign * subtract(getTotalOfWhole(whole), provided)
  if (sign * net > room) return false
  rooms.set(whole, subtract(room, sign * net))
  return true
}

/** Returns the allocations, with a deduction for the vendor's credit. */
function withCredit(allocations: readonly PaymentAllocation[], credit: number): PaymentAllocation[] {
  const deducted = Math.min(credit, sumAllocations(allocations).amount)
  if (deducted <= 0) return [...allocations]
  const none = { billId: null, poId: null, lineId: null, retainageWithheld: 0 }
  return [{ ...none, amount: -deducted, discountAmount: 0, discountDueDate: null, dueDate: null }, ...allocations]
}

/** Returns the reason why a vendor cannot be paid at all; null if there is none. */
export function findVendorObjection({ companyName, status, complianceStatus }: Payee): Objection | null {
  if (status === 'on_hold') return { reason: 'vendor_on_hold', detail: `Cannot pay ${companyName}: it is on hold.` }
  if (complianceStatus !== 'expired') return null
  return { reason: 'compliance_expired', detail: `The compliance documents of ${companyName} have expired.` }
}

function findPaymentObjection(
  vendor: Payee,
  { grossAmount, amount }: Pick<Payment, 'grossAmount' | 'amount'>,
): Objection | null {
  const { companyName } = vendor
  const objection = findVendorObjection(vendor)
  if (objection !== null) return objection
  // If the vendor's credits equal the bills, a payment of zero settles both.
  if (amount < 0)
    return { reason: 'vendor_owes', detail: `Nothing to pay: ${companyName} owes you more than you owe the vendor.` }
  if (isWithinMoneyRange(grossAmount)) return null
  return {
    reason: 'not_payable',
    detail: `The amount payable to ${companyName} exceeds the maximum amount of a single payment.`,
  }
}
