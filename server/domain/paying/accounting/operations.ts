import type { Handlers } from '../../../platform/calls/operation.ts'
import { acknowledge } from './acknowledge.ts'
import { csvOf, ndjsonOf } from './export.ts'
import { form1099Csv, form1099Totals } from './form-1099.ts'
import { corrections, recordFiling } from './form-1099-filings.ts'
import { queueOf } from './queue.ts'
import { reconcile } from './reconcile.ts'

export const accountingOperations = {
  async getAccountingSyncQueue({ query }, call) {
    return { status: 200, body: await queueOf(call, query) }
  },

  async acknowledgeAccountingSync({ body }, call) {
    return { status: 200, body: await acknowledge(call, body.rows) }
  },

  async reconcileAccounting({ body }, call) {
    return { status: 200, body: await reconcile(call, body) }
  },

  async getAccountingCsv({ query }, call) {
    return { status: 200, body: await csvOf(call, query) }
  },

  async getAccountingNdjson({ query }, call) {
    return { status: 200, body: await ndjsonOf(call, query) }
  },

  async getForm1099Totals({ query }, call) {
    return { status: 200, body: await form1099Totals(call, query) }
  },

  async recordForm1099Filing({ body }, call) {
    return { status: 200, body: await call.write((call) => recordFiling(call, body)) }
  },

  async getForm1099Corrections({ query }, call) {
    return { status: 200, body: await corrections(call, query) }
  },

  async getForm1099Csv({ query }, call) {
    return { status: 200, body: await form1099Csv(call, query) }
  },
} satisfies Partial<Handlers>
