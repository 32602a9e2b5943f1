import type { Handlers } from '../../platform/calls/operation.ts'
import { requireFreshSignIn } from '../../platform/keys/fresh-sign-in.ts'
import { validationFailed } from '../../platform/problems/problem.ts'
import * as homes from '../land/homes/queries.ts'
import { findLedgerBalances } from './balances.ts'
import * as closes from './closes.ts'
import { exportPostingsCsv, exportPostingsNdjson } from './export.ts'
import { findJobCostLedger } from './job-cost.ts'
import * as journals from './journals.ts'
import * as postings from './posting-queries.ts'

export const ledgerOperations = {
  async listPostings({ query }, call) {
    assertInOrder(query)
    return { status: 200, body: await postings.list(call, query) }
  },

  async getPostingsCsv({ query }, call) {
    assertInOrder(query)
    return { status: 200, body: await exportPostingsCsv(call, query) }
  },

  async getPostingsNdjson({ query }, call) {
    assertInOrder(query)
    return { status: 200, body: await exportPostingsNdjson(call, query) }
  },

  async getJobCostLedger({ path, query }, call) {
    assertInOrder(query)
    await homes.find(call, path.homeId)
    return { status: 200, body: await findJobCostLedger(call, path.homeId, query) }
  },

  async getLedgerBalances({ query }, call) {
    return { status: 200, body: await findLedgerBalances(call, query) }
  },

  async transferCost({ body }, call) {
    return { status: 201, body: await call.write((call) => journals.transferCost(call, body)) }
  },

  async listJournals({ query }, call) {
    return { status: 200, body: await journals.list(call, query) }
  },

  async createJournal({ body }, call) {
    return { status: 201, body: await call.write((call) => journals.createJournal(call, body)) }
  },

  async getJournal({ path }, call) {
    return { status: 200, body: await journals.find(call, path.entryId) }
  },

  async reverseJournal({ path, body }, call) {
    return { status: 201, body: await call.write((call) => journals.reverseJournal(call, path.entryId, body)) }
  },

  async getPeriodClose(_input, call) {
    return { status: 200, body: await closes.findPeriodState(call) }
  },

  async closePeriod({ body }, call) {
    return { status: 200, body: await call.write((call) => closes.closePeriod(call, body.throughDate)) }
  },

  async listPeriodCloses({ query }, call) {
    return { status: 200, body: await closes.list(call, query) }
  },

  async reopenPeriod({ body }, call) {
    requireFreshSignIn(call)
    await call.write((call) => closes.reopenPeriods(call, body.throughDate, body.reason))
    return { status: 200, body: await closes.findPeriodState(call) }
  },
} satisfies Partial<Handlers>

function assertInOrder({ from, to }: { from?: string | undefined; to?: string | undefined }): void {
  if (from !== undefined && to !== undefined && to < from)
    throw validationFailed([{ pointer: 'to', code: 'minimum', message: 'must not be before from' }])
}
