import type { EnteredPayment, Payment } from '../../../../client/contract.gen.ts'

/** Returns the data about a payment that skills report after they have entered the payment. */
export function toEnteredPayment(payment: Payment, lienWaiverId: string | null = null): EnteredPayment {
  const { id: paymentId, number, vendorId, poId, grossAmount, retainageWithheld, amount, dueDate } = payment
  return {
    ...{ paymentId, number, vendorId, poId },
    ...{ grossAmount, retainageWithheld, amount, dueDate, lienWaiverId },
  }
}
