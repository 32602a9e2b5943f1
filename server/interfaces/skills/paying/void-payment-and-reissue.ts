import type { VoidPaymentAndReissueInput, VoidPaymentAndReissueResult } from '../../../../client/contract.gen.ts'
import { reissuePayment } from '../../../domain/paying/payments/create-payment.ts'
import type { Call } from '../../../platform/calls/call.ts'

export async function voidPaymentAndReissue(
  { paymentId, reason, overrideReason, ...changed }: VoidPaymentAndReissueInput,
  call: Call,
): Promise<VoidPaymentAndReissueResult> {
  const voided = await call.operation('voidPayment', { paymentId, reason })
  const { paymentType, method, invoiceNumber, invoiceDate, dueDate, discountAmount, discountDueDate } = voided
  // Creates the payment directly. A payment from a payment run can have more allocations than createPayment accepts.
  const payment = await call.write((call) =>
    reissuePayment(
      call,
      {
        ...{ paymentType, invoiceNumber, invoiceDate, discountAmount, discountDueDate, replacesPaymentId: paymentId },
        ...{ method: changed.method ?? method, dueDate: changed.dueDate ?? dueDate },
        ...(overrideReason !== undefined && { overrideReason }),
      },
      voided.allocations,
    ),
  )
  return { voided, payment }
}
