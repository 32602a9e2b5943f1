import type { Inspection, PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import * as homes from '../../land/homes/queries.ts'
import { draftOrder } from '../../paying/purchase-orders/draft-order.ts'
import * as vendors from '../../vendors/vendors/queries.ts'

/** Drafts a backcharge for the fee of a failed inspection. The caller must have locked the home. */
export async function draftFeeOrder(
  call: WriteCall,
  { homeId, name, attempt, items }: Inspection,
  vendorId: string,
  amount: number,
): Promise<PurchaseOrder> {
  const vendor = await vendors.find(call, vendorId)
  const own = items.find((item) => item.vendorId === vendorId && item.result === 'fail' && item.scope !== null)
  const scope = own?.scope ?? vendor.scopes[0]
  if (scope === undefined)
    throw validationFailed([
      {
        pointer: '/feeVendorId',
        code: 'not_suitable',
        message: 'must be a vendor that has a trade, because a backcharge requires a trade',
      },
    ])
  const description = `${name}, attempt ${attempt}: fee for the failed inspection`
  const order = await draftOrder(call, {
    ...{ home: await homes.find(call, homeId), vendor, scope, poType: 'backcharge' },
    lines: [{ description, quantity: 1, unit: 'LS', unitPrice: -amount, taxPercent: 0 }],
  })
  await recordEvent(call, 'po.created', order)
  return order
}
