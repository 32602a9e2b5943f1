import type { FieldError, MigratedPayment, Payment, PaymentCreate } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'

/** Throws unless a payment from another system can be recorded with the given number and date. */
export function assertMigratable(
  call: WriteCall,
  { discountAmount }: Pick<PaymentCreate, 'discountAmount'>,
  { number, paidDate }: MigratedPayment,
): void {
  const today = toLocalDate(call.timeZone, call.now)
  const errors: FieldError[] = []
  if (/^\s*PM-/i.test(number)) {
    const message = 'must not begin with PM-, which is for new payments'
    errors.push({ pointer: '/migration/number', code: 'reserved', message })
  }
  if (paidDate > today) {
    const message = `must not be after today (${today})`
    errors.push({ pointer: '/migration/paidDate', code: 'maximum', message })
  }
  if (discountAmount !== undefined) {
    const message = 'cannot be combined with migration, because the payment was already made'
    errors.push({ pointer: '/discountAmount', code: 'exclusive', message })
  }
  if (errors.length > 0) throw validationFailed(errors)
}

/** Returns the fields of a payment that was made in another system. */
export function toPaidFields({
  number,
  paidDate,
  checkNumber,
}: MigratedPayment): Pick<Payment, 'number' | 'status' | 'paidDate'> & Partial<Payment> {
  return { number: number.trim(), status: 'paid', paidDate, checkNumber: checkNumber ?? null }
}
