import type { Handlers } from '../../../platform/calls/operation.ts'
import { changeWaiverStatus } from './change-waiver-status.ts'
import { createWaiverPdf } from './create-waiver-pdf.ts'
import * as waivers from './queries.ts'
import { requestLienWaiver } from './request-lien-waiver.ts'

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
    return { status: 200, body: await createWaiverPdf(call, await waivers.find(call, path.lienWaiverId)) }
  },

  async changeLienWaiverStatus({ path, body }, call) {
    return { status: 200, body: await call.write((call) => changeWaiverStatus(call, path.lienWaiverId, body)) }
  },
} satisfies Partial<Handlers>
