import type { Handlers } from '../../../platform/calls/operation.ts'
import { createPaymentRun } from './create-payment-run.ts'
import * as runs from './queries.ts'

export const paymentRunOperations = {
  async listPaymentRuns({ query }, call) {
    return { status: 200, body: await runs.list(call, query) }
  },

  async createPaymentRun({ body }, call) {
    return { status: 201, body: await call.write((call) => createPaymentRun(call, body)) }
  },

  async getPaymentRun({ path }, call) {
    return { status: 200, body: await runs.find(call, path.paymentRunId) }
  },
} satisfies Partial<Handlers>
