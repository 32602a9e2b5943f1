import type { LienWaiver } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { FileResponse } from '../../../platform/calls/file-response.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { createPdfResponse } from '../documents/pdf-response.ts'
import * as payments from '../payments/queries.ts'
import { waiverDrawing } from './waiver-document.ts'

/** Creates the PDF of a lien waiver, with signature lines if it is unsigned. */
export async function createWaiverPdf(call: Call, waiver: LienWaiver): Promise<FileResponse> {
  const payment = await payments.find(call, waiver.paymentId)
  const vendor = await vendors.find(call, waiver.vendorId)
  const sheet = { waiver, payment, vendor, builder: call.principal.organization }
  return createPdfResponse(call, `${payment.number}-${waiver.waiverType}.pdf`, sheet, waiverDrawing)
}
