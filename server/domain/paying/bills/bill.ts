import type { Bill, BillStatus, BillType, FieldError } from '../../../../client/contract.gen.ts'
import { isWithinMoneyRange, sum } from '../../../platform/values/money.ts'

/**
 * The status changes that changeBillStatus allows. Only voidBill voids bills, and only payments change the status of an
 * approved bill.
 */
export const BILL_MOVES: Readonly<Record<BillStatus, readonly BillStatus[]>> = {
  draft: ['received'],
  received: ['approved', 'rejected'],
  approved: [],
  partially_paid: [],
  paid: [],
  rejected: ['received'],
  void: [],
}

export const VOIDABLE: Readonly<Record<BillStatus, readonly BillStatus[]>> = {
  draft: ['void'],
  received: ['void'],
  approved: ['void'],
  // Some partially paid and paid bills can be voided because no payment includes them: a credit memo that was applied
  // to orders, and a bill that was paid from a deposit.
  partially_paid: ['void'],
  paid: ['void'],
  rejected: [],
  void: [],
}

/** Fields that can be changed after a bill is approved. */
export const ALWAYS_EDITABLE: readonly string[] = ['invoiceNumber', 'holdReason', 'accountingId', 'externalId']

export const NOT_APPROVED: Bill['approval'] = { approvedBy: null, approvedAt: null, rejectedReason: null }

/** Returns the errors in the amounts of a bill. */
export function findBillAmountErrors(
  billType: BillType,
  lines: readonly { amount: number; taxAmount: number }[],
): FieldError[] {
  const total = sum(lines.map(({ amount }) => amount))
  const errors = lines.flatMap(({ amount, taxAmount }, i): FieldError[] => {
    const at = (field: string, code: string, message: string) => [{ pointer: `/lines/${i}/${field}`, code, message }]
    if (amount === 0) return at('amount', 'sign', 'must not be zero')
    if (billType === 'credit_memo' && amount > 0) return at('amount', 'sign', 'must be negative in a credit memo')
    if (taxAmount !== 0 && Math.sign(taxAmount) !== Math.sign(amount))
      return at('taxAmount', 'sign', 'must have the same sign as the amount')
    return Math.abs(taxAmount) <= Math.abs(amount) ? [] : at('taxAmount', 'maximum', 'must not exceed the amount')
  })
  if (errors.length > 0) return errors
  if (!isWithinMoneyRange(total))
    return [{ pointer: '/lines', code: 'maximum', message: 'must not total more than the maximum amount of a bill' }]
  if (billType === 'invoice' && total <= 0)
    return [{ pointer: '/lines', code: 'sum', message: 'must have a positive total unless billType is credit_memo' }]
  return []
}
