import type { Call } from '../../../platform/calls/call.ts'
import type { FileResponse } from '../../../platform/calls/file-response.ts'
import * as communities from '../../land/communities/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { createPdfResponse } from '../documents/pdf-response.ts'
import * as orders from '../purchase-orders/queries.ts'
import { type OrderSheet, orderDrawing } from './order-document.ts'
import { findOrderTerms } from './order-terms.ts'

/** Returns the document of an order as a PDF. Throws `not_found` if the order does not exist. */
export async function createOrderPdf(call: Call, id: string): Promise<FileResponse> {
  const sheet = await readOrderSheet(call, id)
  return createPdfResponse(call, `${sheet.order.number}.pdf`, sheet, orderDrawing)
}

async function readOrderSheet(call: Call, id: string): Promise<OrderSheet> {
  const order = await orders.find(call, id)
  const vendor = await vendors.find(call, order.vendorId)
  const home = await homes.find(call, order.homeId)
  const community = await communities.find(call, home.communityId)
  const parent = order.parentPoId === null ? undefined : await orders.findOptional(call, order.parentPoId)
  const { organization: builder } = call.principal
  return {
    order,
    builder,
    terms: await findOrderTerms(call),
    vendor,
    home,
    community,
    parentNumber: parent?.number ?? null,
  }
}
