import type { Call } from '../../../platform/calls/call.ts'
import type { FileAnswer } from '../../../platform/calls/file-answer.ts'
import * as communities from '../../land/communities/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { pdfAnswer } from '../documents/answer.ts'
import * as orders from '../purchase-orders/queries.ts'
import { type OrderSheet, orderDrawing } from './document.ts'
import { termsOf } from './terms.ts'

/** Returns the document of an order as a PDF. Throws `not_found`. */
export async function orderPdf(call: Call, id: string): Promise<FileAnswer> {
  const sheet = await sheetOf(call, id)
  return pdfAnswer(call, `${sheet.order.number}.pdf`, sheet, orderDrawing)
}

async function sheetOf(call: Call, id: string): Promise<OrderSheet> {
  const order = await orders.find(call, id)
  const vendor = await vendors.find(call, order.vendorId)
  const home = await homes.find(call, order.homeId)
  const community = await communities.find(call, home.communityId)
  const parent = order.parentPoId === null ? undefined : await orders.findOptional(call, order.parentPoId)
  const { organization: builder } = call.principal
  return { order, builder, terms: await termsOf(call), vendor, home, community, parentNumber: parent?.number ?? null }
}
