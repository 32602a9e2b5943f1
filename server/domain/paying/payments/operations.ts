import type { Handlers } from '../../../platform/calls/operation.ts'
import { changePaymentStatus, voidPayment } from './change-payment-status.ts'
import { createPayment } from './create-payment.ts'
import * as payments from './queries.ts'

export const paymentOperations = {
  async listPayments({ query }, call) {
    return { status: 200, body: await payments.list(call, query) }
  },

  async createPayment({ body }, call) {
    return { status: 201, body: await call.write((call) => createPayment(call, body)) }
  },

  async getPayment({ path }, call) {
    return { status: 200, body: await payments.find(call, path.paymentId) }
  },

  async changePaymentStatus({ path, body }, call) {
    return { status: 200, body: await call.write((call) => changePaymentStatus(call, path.paymentId, body)) }
  },

  async voidPayment({ path, body }, call) {
    return { status: 200, body: await call.write((call) => voidPayment(call, path.paymentId, body.reason)) }
  },
} satisfies Partial<Handlers>
