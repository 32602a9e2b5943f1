import type { Handlers } from '../../platform/calls/operation.ts'
import { requireFreshSignIn } from '../../platform/keys/fresh-sign-in.ts'
import { validationFailed } from '../../platform/problems/problem.ts'
import * as homes from '../land/homes/queries.ts'
import { ledgerBalances } from './balances.ts'
import * as closes from './closes.ts'
import { postingsCsv, postingsNdjson } from './export.ts'
import { jobCostLedger } from './job-cost.ts'
import * as journals from './journals.ts'
import * as postings from './posting-queries.ts'

export const ledgerOperations = {
  async listPostings({ query }, call) {
    assertInOrder(query)
    return { status: 200, body: await postings.list(call, query) }
  },

  async getPostingsCsv({ query }, call) {
    assertInOrder(query)
    return { status: 200, body: await postingsCsv(call, query) }
  },

  async getPostingsNdjson({ query }, call) {
    assertInOrder(query)
    return { status: 200, body: await postingsNdjson(call, query) }
  },

  async getJobCostLedger({ path, query }, call) {
    assertInOrder(query)
    await homes.find(call, path.homeId)
    return { status: 200, body: await jobCostLedger(call, path.homeId, query) }
  },

  async getLedgerBalances({ query }, call) {
    return { status: 200, body: await ledgerBalances(call, query) }
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
    return { status: 200, body: await closes.periodState(call) }
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
    return { status: 200, body: await closes.periodState(call) }
  },
} satisfies Partial<Handlers>

function assertInOrder({ from, to }: { from?: string | undefined; to?: string | undefined }): void {
  if (from !== undefined && to !== undefined && to < from)
    throw validationFailed([{ pointer: 'to', code: 'minimum', message: 'must not be before from' }])
}
