import type { Payment, PaymentType, Vendor } from '../../../../client/contract.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { getPercent } from '../../../platform/values/money.ts'
import { isForWork } from './payment.ts'

const LAST_DAY = '9999-12-31'

function addDaysCapped(date: string, days: number): string {
  return date > addDays(LAST_DAY, -days) ? LAST_DAY : addDays(date, days)
}

export function computeDueDate({ netDays }: Vendor['paymentTerms'], from: string): string {
  return addDaysCapped(from, netDays)
}

/** Returns a vendor's discount for early payment. It applies to completed work, but not to retainage and deposits. */
export function computeDiscount(
  { discountPercent, discountDays }: Vendor['paymentTerms'],
  { paymentType, amount, currency }: { paymentType: PaymentType; amount: number; currency: string },
  from: string,
): Pick<Payment, 'discountAmount' | 'discountDueDate'> {
  if (discountPercent === 0 || amount <= 0 || !isForWork(paymentType))
    return { discountAmount: 0, discountDueDate: null }
  return {
    discountAmount: getPercent(amount, discountPercent, currency),
    discountDueDate: addDaysCapped(from, discountDays),
  }
}

/** Returns whether a payment on that date qualifies for the discount. */
export function isWithinDiscountPeriod(
  { discountDueDate }: Pick<Payment, 'discountDueDate'>,
  paidDate: string,
): boolean {
  return discountDueDate === null || paidDate <= discountDueDate
}
