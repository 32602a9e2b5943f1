import type { Payment, PaymentAllocation, PaymentType, Vendor } from '../../../../client/contract.gen.ts'
import { computePercentAmount, divideAmount, subtract, sum } from '../../../platform/values/money.ts'
import { addTermDays, isDiscountAvailable } from '../bill-records/terms.ts'
import { isPaymentForWork } from './payment.ts'

type Discount = Pick<Payment, 'discountAmount' | 'discountDueDate'>

export const NO_DISCOUNT: Discount = { discountAmount: 0, discountDueDate: null }

/** Computes a vendor's discount for early payment. Retainage and deposits have no discount. */
export function computeDiscount(
  { discountPercent, discountDays }: Vendor['paymentTerms'],
  { paymentType, amount, currency }: { paymentType: PaymentType; amount: number; currency: string },
  from: string,
): Discount {
  if (discountPercent === 0 || amount <= 0 || !isPaymentForWork(paymentType)) return NO_DISCOUNT
  return {
    discountAmount: computePercentAmount(amount, discountPercent, currency),
    discountDueDate: addTermDays(from, discountDays),
  }
}

/** Divides a discount on the whole payment among the allocations in proportion to their net amounts. */
export function addDiscount(
  allocations: readonly PaymentAllocation[],
  { discountAmount, discountDueDate }: Discount,
  currency: string,
): PaymentAllocation[] {
  const nets = allocations.map(({ amount, retainageWithheld }) => Math.max(subtract(amount, retainageWithheld), 0))
  const parts = sum(nets) === 0 ? nets : divideAmount(discountAmount, nets, currency)
  return allocations.map((allocation, i) => {
    const part = parts[i] ?? 0
    return { ...allocation, discountAmount: part, discountDueDate: part === 0 ? null : discountDueDate }
  })
}

/** Returns the allocations without expired discounts. */
export function applyTimelyDiscounts(allocations: readonly PaymentAllocation[], today: string): PaymentAllocation[] {
  return allocations.map((allocation) =>
    isDiscountAvailable(allocation, today) ? allocation : { ...allocation, discountAmount: 0, discountDueDate: null },
  )
}

/**
 * Returns the discount of a payment, which is the total of its allocations, and the earliest expiration date of these
 * discounts.
 */
export function sumDiscounts(allocations: readonly PaymentAllocation[]): Discount {
  const [discountDueDate = null] = allocations
    .flatMap(({ discountAmount, discountDueDate }) =>
      discountAmount > 0 && discountDueDate !== null ? discountDueDate : [],
    )
    .sort()
  return { discountAmount: sum(allocations.map(({ discountAmount }) => discountAmount)), discountDueDate }
}

/** Returns the earliest due date of the paid bills, or undefined if no bill has a due date. */
export function findFirstDueDate(allocations: readonly PaymentAllocation[]): string | undefined {
  return allocations
    .flatMap(({ amount, dueDate }) => (amount > 0 && dueDate !== null ? dueDate : []))
    .sort()
    .at(0)
}
