import type { Handlers } from '../../../platform/calls/operation.ts'
import * as bills from '../bill-records/queries.ts'
import { changeBillStatus, voidBill } from './change-bill-status.ts'
import { createBill } from './create-bill.ts'
import { updateBill } from './update-bill.ts'

export const billOperations = {
  async listBills({ query }, call) {
    return { status: 200, body: await bills.list(call, query) }
  },

  async createBill({ body }, call) {
    return { status: 201, body: await call.write((call) => createBill(call, body)) }
  },

  async getBill({ path }, call) {
    return { status: 200, body: await bills.find(call, path.billId) }
  },

  async updateBill({ path, body, ifMatch }, call) {
    return { status: 200, body: await call.write((call) => updateBill(call, path.billId, body, ifMatch)) }
  },

  async changeBillStatus({ path, body }, call) {
    return { status: 200, body: await call.write((call) => changeBillStatus(call, path.billId, body)) }
  },

  async voidBill({ path, body }, call) {
    return { status: 200, body: await call.write((call) => voidBill(call, path.billId, body.reason)) }
  },
} satisfies Partial<Handlers>
