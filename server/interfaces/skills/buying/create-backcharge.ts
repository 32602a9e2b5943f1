import type { CreateBackchargeInput, CreateBackchargeResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'

/** Creates a draft order. The amount is deducted from the vendor's payments after the order is approved and issued. */
export async function createBackcharge(
  { vendorId, homeId, amount, reason, relatedPoId, scope: requested }: CreateBackchargeInput,
  call: Call,
): Promise<CreateBackchargeResult> {
  const related = relatedPoId === undefined ? null : await call.operation('getPurchaseOrder', { poId: relatedPoId })
  const scope = requested ?? related?.scope
  if (scope === undefined)
    throw validationFailed([{ pointer: '/scope', code: 'required', message: 'is required unless relatedPoId is set' }])
  const purchaseOrder = await call.operation('createPurchaseOrder', {
    ...{ homeId, vendorId, scope, poType: 'backcharge', notes: reason },
    ...(relatedPoId !== undefined && { parentPoId: relatedPoId }),
    lines: [{ description: reason, quantity: 1, unitPrice: -amount }],
  })
  return { purchaseOrder }
}
