import type { Handlers } from '../../../platform/calls/operation.ts'
import { orderPdf } from './order-pdf.ts'

export const orderDocumentOperations = {
  async getPurchaseOrderPdf({ path }, call) {
    return { status: 200, body: await orderPdf(call, path.purchaseOrderId) }
  },
} satisfies Partial<Handlers>
