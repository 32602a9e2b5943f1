import type { Handlers } from '../../../platform/calls/operation.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { createPdfResponse } from '../documents/pdf-response.ts'
import * as payments from '../payments/queries.ts'
import { changeStatus } from './change-status.ts'
import * as waivers from './queries.ts'
import { requestLienWaiver } from './request-lien-waiver.ts'
import { waiverDrawing } from './waiver-document.ts'

export const lienWaiverOperations = {
  async listLienWaivers({ query }, call) {
    return { status: 200, body: await waivers.list(call, query) }
  },

  async requestLienWaiver({ path, body }, call) {
    return { status: 201, body: await call.write((call) => requestLienWaiver(call, path.paymentId, body)) }
  },

  async getLienWaiver({ path }, call) {
    return { status: 200, body: await waivers.find(call, path.lienWaiverId) }
  },

  async getLienWaiverPdf({ path }, call) {
    const waiver = await waivers.find(call, path.lienWaiverId)
    const payment = await payments.find(call, waiver.paymentId)
    const vendor = await vendors.find(call, waiver.vendorId)
    const sheet = { waiver, payment, vendor, builder: call.principal.organization }
    const fileName = `${payment.number}-${waiver.waiverType}.pdf`
    return { status: 200, body: await createPdfResponse(call, fileName, sheet, waiverDrawing) }
  },

  async changeLienWaiverStatus({ path, body }, call) {
    return { status: 200, body: await call.write((call) => changeStatus(call, path.lienWaiverId, body)) }
  },
} satisfies Partial<Handlers>
