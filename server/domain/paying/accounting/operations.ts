import type { Handlers } from '../../../platform/calls/operation.ts'
import { acknowledgeRows } from './acknowledge.ts'
import { exportRecordsCsv, exportRecordsNdjson } from './export.ts'
import { exportForm1099Csv, getForm1099Totals } from './form-1099.ts'
import { listCorrections, recordFiling } from './form-1099-filings.ts'
import { reconcileLedger } from './reconcile.ts'
import { getSyncQueue } from './sync-queue.ts'

export const accountingOperations = {
  async getAccountingSyncQueue({ query }, call) {
    return { status: 200, body: await getSyncQueue(call, query) }
  },

  async acknowledgeAccountingSync({ body }, call) {
    return { status: 200, body: await acknowledgeRows(call, body.rows) }
  },

  async reconcileAccounting({ body }, call) {
    return { status: 200, body: await reconcileLedger(call, body) }
  },

  async getAccountingCsv({ query }, call) {
    return { status: 200, body: await exportRecordsCsv(call, query) }
  },

  async getAccountingNdjson({ query }, call) {
    return { status: 200, body: await exportRecordsNdjson(call, query) }
  },

  async getForm1099Totals({ query }, call) {
    return { status: 200, body: await getForm1099Totals(call, query) }
  },

  async recordForm1099Filing({ body }, call) {
    return { status: 200, body: await call.write((call) => recordFiling(call, body)) }
  },

  async getForm1099Corrections({ query }, call) {
    return { status: 200, body: await listCorrections(call, query) }
  },

  async getForm1099Csv({ query }, call) {
    return { status: 200, body: await exportForm1099Csv(call, query) }
  },
} satisfies Partial<Handlers>
