import type { FieldError, PaymentAllocation, PaymentType, PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { describeStatus, formatAmount, humanizeValue } from '../../../platform/values/format.ts'
import { divideAmount, subtract, sum } from '../../../platform/values/money.ts'
import { spreadAmount } from '../../ledger/spread-amount.ts'
import { allocateGross, allocateNet, type BillPart, getOpenAmounts } from '../bill-records/parts.ts'
import { findPaymentSums, type PaymentSums, sumBilledByLine } from '../purchase-orders/amount-queries.ts'
import {
  getLockedOrder,
  getSignOfWhole,
  getTotalOfWhole,
  getWhole,
  sumOverWhole,
  type Whole,
} from '../purchase-orders/whole.ts'
import { getAmountSign, isPaymentForWork } from './payment.ts'
import type { PaymentObjection } from './payment-guards.ts'
import { findVendorCredits } from './queries.ts'

/** The requested amount for one order or bill. If the amount is undefined, the payment pays the entire open amount. */
export interface Wanted {
  billId: string | null
  poId: string | null
  lineId: string | null
  /** The amount before retainage. */
  amount: number | undefined
  /** The amount after retainage (only for a bill). */
  net?: number | undefined
  /** Pointers to the fields of the request. */
  pointer: { billId: string; poId: string; lineId: string; amount: string }
}

/**
 * The records among which a payment is divided: the locked orders with their change orders, and the open parts of
 * approved bills.
 */
export interface Ground {
  vendorId: string
  currency: string
  locked: readonly PurchaseOrder[]
  parts: readonly BillPart[]
}

const NO_BILL = { billId: null, discountAmount: 0, discountDueDate: null, dueDate: null }

/**
 * Divides the payment among its orders and bills in sequence. Returns the allocations and any objections to the
 * payment.
 */
export async function allocatePayment(
  call: WriteCall,
  requested: readonly Wanted[],
  ground: Ground,
  paymentType: PaymentType,
): Promise<{ allocations: PaymentAllocation[]; objections: PaymentObjection[] }> {
  const sums = await findPaymentSums(
    call,
    ground.locked.map(({ id }) => id),
  )
  const ledger = new Ledger(ground, sums)
  const objections: PaymentObjection[] = []
  const errors: FieldError[] = []
  for (const one of requested) {
    const fault = await findObjections(call, one, ground, paymentType, objections)
    if (fault !== null) errors.push(fault)
    else ledger.add(await findAllocations(call, one, ledger, paymentType))
  }
  if (errors.length > 0) throw validationFailed(errors)
  ledger.assertRoom(paymentType)
  return { allocations: ledger.allocations, objections }
}

/** Throws if the amount is invalid. Otherwise, returns the objections to the amount. */
async function findObjections(
  call: WriteCall,
  { billId, poId, lineId, amount, pointer }: Wanted,
  { locked }: Ground,
  paymentType: PaymentType,
  objections: PaymentObjection[],
): Promise<FieldError | null> {
  if (poId === null) return null
  const order = getLockedOrder(locked, poId)
  const sign = getAmountSign(order)
  if (amount === 0) return { pointer: pointer.amount, code: 'sign', message: 'must not be zero' }
  if (amount !== undefined && sign * amount < 0 && paymentType !== 'adjustment' && billId === null) {
    const message = sign < 0 ? 'must be negative because the vendor owes the amount' : 'must be positive'
    return { pointer: pointer.amount, code: 'sign', message }
  }
  const object = (title: string, detail: string) => objections.push({ title, detail, permission: 'pos:write' })
  if (paymentType === 'final' && order.status !== 'completed')
    object(
      'Before completion',
      `${order.number} is ${describeStatus(order.status)}. A final payment needs a completed order.`,
    )
  if (lineId !== null && amount !== undefined && (await isAboveLine(call, order, lineId, amount)))
    object(
      'Exceeds the payable amount',
      `The payment of ${formatAmount(amount, order.currency)} exceeds the completed work of line ${lineId} of ${order.number}.`,
    )
  return null
}

async function isAboveLine(call: WriteCall, order: PurchaseOrder, lineId: string, amount: number): Promise<boolean> {
  const billed = (await sumBilledByLine(call, order.id)).get(lineId) ?? 0
  const done = order.lines.find((line) => line.lineId === lineId)?.completedAmount ?? 0
  const sign = done < 0 ? -1 : 1
  return sign * sum([billed, amount]) > sign * done
}

async function findAllocations(
  call: WriteCall,
  requested: Wanted,
  ledger: Ledger,
  paymentType: PaymentType,
): Promise<PaymentAllocation[]> {
  if (requested.billId === null && requested.poId === null) return [await allocateCredit(call, requested, ledger)]
  if (isPaymentForWork(paymentType)) return allocateToBills(requested, ledger, paymentType)
  return allocateToOrder(requested, ledger, paymentType)
}

/** Deducts the amount that the vendor owes from earlier payments. */
async function allocateCredit(
  call: WriteCall,
  { amount = 0, lineId }: Wanted,
  { ground }: Ledger,
): Promise<PaymentAllocation> {
  const credit = (await findVendorCredits(call, [ground.vendorId])).get(ground.vendorId) ?? 0
  if (amount >= 0 || -amount > credit)
    throw conflict(
      'not_enough_left',
      `Cannot deduct ${formatAmount(-amount, ground.currency)}: the vendor's credit is only ${formatAmount(credit, ground.currency)}.`,
    )
  return { ...NO_BILL, poId: null, lineId, amount, retainageWithheld: 0 }
}

const SIGN_OF_BILL = 'must not be zero and must have the same sign as the bill'

/**
 * Pays the open bills of an order, oldest first, after applying its credit memos. If a bill is given, pays only that
 * bill.
 */
function allocateToBills(
  { billId, poId, lineId, amount, net, pointer }: Wanted,
  ledger: Ledger,
  paymentType: PaymentType,
) {
  const parts = ledger.open(billId, poId)
  const billed = sum(parts.map(({ gross }) => gross))
  // The amounts of a credit memo have the opposite sign of the order's amounts.
  const sign = billId === null && poId !== null ? ledger.signOf(poId) : billed < 0 ? -1 : 1
  const name = ledger.nameOf(billId, poId)
  const money = (value: number) => formatAmount(value, ledger.ground.currency)
  const openGross = sum(parts.map((part) => getOpenAmounts(part).gross))
  const openNet = sum(parts.map((part) => getOpenAmounts(part).net))
  if (amount === undefined && net === undefined) {
    if (sign * openGross <= 0)
      throw conflict(
        'missing_data',
        `Cannot pay ${name}: no amount is left for a ${humanizeValue(paymentType)} payment.`,
      )
    return parts.map((part) => ({ ...allocateGross(part, getOpenAmounts(part).gross), lineId }))
  }
  if (net !== undefined) {
    if (net === 0 || sign * net < 0)
      throw validationFailed([{ pointer: '/amount', code: 'sign', message: SIGN_OF_BILL }])
    if (sign * net > sign * openNet)
      throw conflict(
        'not_enough_left',
        `The payment of ${money(net)} exceeds the open amount of ${name} (${money(openNet)}).`,
      )
    const shares = divideAmount(
      net,
      parts.map((part) => Math.abs(getOpenAmounts(part).net)),
      ledger.ground.currency,
    )
    return parts.map((part, i) => ({ ...allocateNet(part, shares[i] ?? 0), lineId }))
  }
  const requested = amount ?? 0
  if (parts.length === 0 || sign * requested > sign * openGross)
    throw conflict(
      'not_enough_left',
      `The payment of ${money(requested)} exceeds the open amount of the bills for ${name} (${money(openGross)}).`,
    )
  if (sign * requested <= 0) throw validationFailed([{ pointer: pointer.amount, code: 'sign', message: SIGN_OF_BILL }])
  const credits = parts.filter((part) => sign * getOpenAmounts(part).gross < 0)
  const allocations = credits.map((part) => allocateGross(part, getOpenAmounts(part).gross))
  let left = subtract(requested, sum(allocations.map((one) => one.amount)))
  for (const part of parts.filter((part) => sign * getOpenAmounts(part).gross > 0)) {
    if (sign * left <= 0) break
    const taken = sign * Math.min(sign * left, sign * getOpenAmounts(part).gross)
    allocations.push(allocateGross(part, taken))
    left = subtract(left, taken)
  }
  return allocations.map((allocation) => ({ ...allocation, lineId }))
}

/** Allocates a deposit, an adjustment, or a release of retainage to an order with its change orders. */
function allocateToOrder({ poId, amount }: Wanted, ledger: Ledger, paymentType: PaymentType): PaymentAllocation[] {
  if (poId === null)
    throw validationFailed([
      { pointer: '/poId', code: 'required', message: `is required when paymentType is ${paymentType}` },
    ])
  const created = (id: string, value: number) => ({
    ...NO_BILL,
    ...{ poId: id, lineId: null, amount: value, retainageWithheld: 0 },
  })
  if (paymentType !== 'retainage_release') return [created(poId, amount ?? 0)]
  const whole = ledger.wholeOf(poId)
  const members = poId === whole.root.id ? whole.members : whole.members.filter(({ id }) => id === poId)
  const held = members.map((order) => ledger.releasable(order))
  const max = ledger.mostToRelease(whole, sum(held))
  const sign = getSignOfWhole(whole)
  const money = (value: number) => formatAmount(value, whole.root.currency)
  const { number } = getLockedOrder(whole.members, poId)
  if (amount === undefined && sign * max <= 0)
    throw conflict('missing_data', `Cannot pay ${number}: no retainage is left to release.`)
  const requested = amount ?? max
  if (sign * requested > sign * max)
    throw conflict(
      'not_enough_left',
      `The payment of ${money(requested)} exceeds the retainage that can be released on ${number} (${money(max)}).`,
    )
  const shares = sum(held) === requested ? held : spreadAmount(requested, held, whole.root.currency)
  return shares.flatMap((part, i) => (part === 0 ? [] : created(members[i]?.id ?? poId, part)))
}

/** The allocations of a payment during its creation, and the remaining amounts of its orders and bills. */
class Ledger {
  readonly allocations: PaymentAllocation[] = []
  readonly ground: Ground
  readonly #sums: ReadonlyMap<string, PaymentSums>
  #parts: BillPart[]

  constructor(ground: Ground, sums: ReadonlyMap<string, PaymentSums>) {
    this.ground = ground
    this.#sums = sums
    this.#parts = [...ground.parts]
  }

  add(allocations: readonly PaymentAllocation[]): void {
    for (const allocation of allocations) {
      this.allocations.push(allocation)
      this.#parts = this.#parts.map((part) =>
        part.billId === allocation.billId && part.poId === allocation.poId
          ? {
              ...part,
              allocated: sum([part.allocated, allocation.amount]),
              allocatedRetainage: sum([part.allocatedRetainage, allocation.retainageWithheld]),
              allocatedDiscount: sum([part.allocatedDiscount, allocation.discountAmount]),
            }
          : part,
      )
    }
  }

  /** Returns the open parts of the bill. Without a bill, returns the open parts of the order and its change orders. */
  open(billId: string | null, poId: string | null): BillPart[] {
    const ids = billId === null && poId !== null ? this.#coveredBy(poId) : null
    return this.#parts.filter(
      (part) =>
        (billId === null || part.billId === billId) &&
        (ids === null ? poId === null || part.poId === poId : part.poId !== null && ids.has(part.poId)) &&
        getOpenAmounts(part).net !== 0,
    )
  }

  #coveredBy(poId: string): Set<string> {
    const { root, members } = this.wholeOf(poId)
    return new Set(poId === root.id ? members.map(({ id }) => id) : [poId])
  }

  wholeOf(poId: string): Whole {
    return getWhole(this.ground.locked, poId)
  }

  signOf(poId: string): 1 | -1 {
    return getAmountSign(getLockedOrder(this.ground.locked, poId))
  }

  nameOf(billId: string | null, poId: string | null): string {
    const bill = this.ground.parts.find((part) => part.billId === billId)
    if (bill !== undefined) return bill.billNumber
    return poId === null ? 'The bill' : getLockedOrder(this.ground.locked, poId).number
  }

  /** Returns the retainage of the order that is held and not yet on a release. */
  releasable(order: PurchaseOrder): number {
    const taken = this.allocations.filter(({ poId, billId }) => poId === order.id && billId === null)
    return sum([order.retainedAmount, -order.releasingAmount, ...taken.map(({ amount }) => -amount)])
  }

  /**
   * Returns the maximum release: the retainage held, but not more than the part of the total that is neither paid nor
   * on a payment.
   */
  mostToRelease(whole: Whole, held: number): number {
    const sign = getSignOfWhole(whole)
    return sign * Math.min(sign * held, sign * subtract(getTotalOfWhole(whole), this.#given(whole)))
  }

  /**
   * Returns the total of payments, whether paid or unpaid. An unpaid refund does not reduce this total, so it leaves no
   * room for another payment.
   */
  #given(whole: Whole): number {
    const sign = getSignOfWhole(whole)
    const ids = new Set(whole.members.map(({ id }) => id))
    const own = this.allocations.filter(({ poId }) => poId !== null && ids.has(poId))
    return sum([
      sumOverWhole(whole, (order) => sum([order.paidAmount, order.reservedAmount, order.releasingAmount])),
      ...whole.members.map(({ id }) => {
        const { adjustingUp = 0, adjustingDown = 0 } = this.#sums.get(id) ?? {}
        return sign < 0 ? -adjustingUp : -adjustingDown
      }),
      ...own.map(({ amount, retainageWithheld }) => subtract(amount, retainageWithheld)),
    ])
  }

  /** Throws if the payment exceeds the total of an order with its change orders, or the payable amount. */
  assertRoom(paymentType: PaymentType): void {
    const roots = new Set(this.allocations.flatMap(({ poId }) => (poId === null ? [] : this.wholeOf(poId).root.id)))
    for (const rootId of roots) {
      const whole = this.wholeOf(rootId)
      const sign = getSignOfWhole(whole)
      const money = (value: number) => formatAmount(value, whole.root.currency)
      const { number } = whole.root
      const ids = new Set(whole.members.map(({ id }) => id))
      const own = sum(
        this.allocations.flatMap(({ poId, amount, retainageWithheld }) =>
          poId !== null && ids.has(poId) ? subtract(amount, retainageWithheld) : [],
        ),
      )
      const provided = this.#given(whole)
      if (sign * own < 0) {
        const refundable = subtract(provided, own)
        if (paymentType === 'adjustment' && -sign * own > sign * this.#getPaidAmount(whole))
          throw conflict(
            'not_enough_left',
            `The adjustment of ${money(own)} exceeds the amount paid on ${number} (${money(refundable)}).`,
          )
        continue
      }
      const total = getTotalOfWhole(whole)
      if (sign * provided > sign * total)
        throw conflict(
          'not_enough_left',
          paymentType === 'deposit'
            ? `The deposit of ${money(own)} on ${number} exceeds the total of the order (${money(total)}).`
            : `The payment of ${money(own)} exceeds the unpaid amount of ${number} (${money(subtract(total, subtract(provided, own)))}).`,
        )
      if (paymentType !== 'adjustment') continue
      const payable = subtract(
        sumOverWhole(whole, ({ payableAmount }) => payableAmount),
        sumOverWhole(whole, ({ reservedAmount }) => reservedAmount),
      )
      if (sign * own > sign * payable)
        throw conflict(
          'not_enough_left',
          `The payment of ${money(own)} exceeds the payable amount of ${number} (${money(payable)}).`,
        )
    }
  }

  /** Returns the refundable amount, which is the paid amount minus unpaid refunds. */
  #getPaidAmount(whole: Whole): number {
    const sign = getSignOfWhole(whole)
    return sum(
      whole.members.map((order) => {
        const { adjustingUp = 0, adjustingDown = 0 } = this.#sums.get(order.id) ?? {}
        return sum([order.paidAmount, sign < 0 ? adjustingUp : adjustingDown])
      }),
    )
  }
}
