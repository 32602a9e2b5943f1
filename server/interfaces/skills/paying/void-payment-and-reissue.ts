import type { VoidPaymentAndReissueInput, VoidPaymentAndReissueResult } from '../../../../client/contract.gen.ts'
import { createPayment } from '../../../domain/paying/payments/create-payment.ts'
import type { Call } from '../../../platform/calls/call.ts'

export async function voidPaymentAndReissue(
  { paymentId, reason, overrideReason, ...changed }: VoidPaymentAndReissueInput,
  call: Call,
): Promise<VoidPaymentAndReissueResult> {
  const voided = await call.operation('voidPayment', { paymentId, reason })
  const { paymentType, method, invoiceNumber, invoiceDate, dueDate, discountAmount, discountDueDate } = voided
  // Written directly, because a payment of a run has more allocations than createPayment accepts in one body.
  const payment = await call.write((call) =>
    createPayment(call, {
      ...{ paymentType, invoiceNumber, invoiceDate, discountAmount, discountDueDate, replacesPaymentId: paymentId },
      ...{ method: changed.method ?? method, dueDate: changed.dueDate ?? dueDate },
      allocations: voided.allocations.map(({ poId, lineId, amount }) => ({ poId, lineId, amount })),
      ...(overrideReason !== undefined && { overrideReason }),
    }),
  )
  return { voided, payment }
}
