import type { PunchItem, PunchItemBackcharge } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import * as homes from '../../land/homes/queries.ts'
import { draftOrder } from '../../paying/purchase-orders/draft-order.ts'
import * as orders from '../../paying/purchase-orders/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import * as punchItems from './queries.ts'

/**
 * Drafts the order that charges a vendor for an item, unless the item already has such an order (ignoring void orders).
 */
export async function draftBackcharge(
  call: WriteCall,
  id: string,
  { amount, vendorId: named, description, scope: requested }: PunchItemBackcharge,
): Promise<PunchItem> {
  const { homeId } = await punchItems.find(call, id)
  const home = await homes.lock(call, homeId)
  const item = await punchItems.lock(call, id)
  await assertNotCharged(call, item)
  const vendorId = named ?? item.responsibleVendorId ?? item.vendorId
  if (vendorId === null)
    throw conflict('missing_data', `Cannot backcharge ${item.number}: it has no vendor. Set vendorId.`)
  const vendor = await vendors.findOptional(call, vendorId)
  if (vendor === undefined) throw unknownReference(['/vendorId'])
  const scope = requested ?? item.scope
  if (scope === null)
    throw validationFailed([{ pointer: '/scope', code: 'required', message: 'is required if the item has no trade' }])
  const text = description ?? `${item.number}: ${item.description}`
  const order = await draftOrder(call, {
    ...{ home, vendor, scope, poType: 'backcharge', punchItemId: item.id },
    lines: [{ description: text.slice(0, 500), quantity: 1, unit: 'LS', unitPrice: -amount, taxPercent: 0 }],
  })
  await recordEvent(call, 'po.created', order)
  return punchItems.update(call, item, { backchargeOrderId: order.id })
}

async function assertNotCharged(call: WriteCall, { number, backchargeOrderId }: PunchItem): Promise<void> {
  if (backchargeOrderId === null) return
  const earlier = await orders.find(call, backchargeOrderId)
  if (earlier.status !== 'void')
    throw conflict(
      'already_done',
      `${number} already has a backcharge (${earlier.number}). Void that backcharge first.`,
    )
}
