import type { Bill, Vendor } from '../../../../client/contract.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { computePercentAmount } from '../../../platform/values/money.ts'

const LAST_DAY = '9999-12-31'

/** Adds the days of a payment term to a date. Returns LAST_DAY if the result would be after LAST_DAY. */
export function addTermDays(date: string, days: number): string {
  return date > addDays(LAST_DAY, -days) ? LAST_DAY : addDays(date, days)
}

export function getDueDate({ netDays }: Pick<Vendor['paymentTerms'], 'netDays'>, invoiceDate: string): string {
  return addTermDays(invoiceDate, netDays)
}

/** Returns the due date and the discount of a bill, which depend on the invoice date and do not change later. */
export function computeBillDates(
  terms: Bill['terms'],
  { invoiceDate, amount, currency }: Pick<Bill, 'invoiceDate' | 'amount' | 'currency'>,
): Pick<Bill, 'dueDate' | 'discountAmount' | 'discountDueDate'> {
  const dueDate = getDueDate(terms, invoiceDate)
  if (terms.discountPercent === 0 || amount <= 0) return { dueDate, discountAmount: 0, discountDueDate: null }
  return {
    dueDate,
    discountAmount: computePercentAmount(amount, terms.discountPercent, currency),
    discountDueDate: addTermDays(invoiceDate, terms.discountDays),
  }
}

/** Returns whether a payment on the given day is early enough for the discount. */
export function isDiscountAvailable({ discountDueDate }: Pick<Bill, 'discountDueDate'>, paidDate: string): boolean {
  return discountDueDate === null || paidDate <= discountDueDate
}
