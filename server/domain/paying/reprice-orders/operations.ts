import type { Handlers } from '../../../platform/calls/operation.ts'
import { repriceOrders } from './reprice-orders.ts'

export const repriceOperations = {
  async repriceOpenPurchaseOrders({ path, body }, call) {
    return { status: 200, body: await call.write((call) => repriceOrders(call, path.contractId, body)) }
  },
} satisfies Partial<Handlers>
