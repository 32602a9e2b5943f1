import type { Handlers } from '../../../platform/calls/operation.ts'
import { createOrderPdf } from './order-pdf.ts'

export const orderDocumentOperations = {
  async getPurchaseOrderPdf({ path }, call) {
    return { status: 200, body: await createOrderPdf(call, path.poId) }
  },
} satisfies Partial<Handlers>
