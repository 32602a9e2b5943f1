import { assertVersionSeen, checkIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordEvent } from '../../../platform/events/record.ts'
import { advance } from './advance.ts'
import { approve, cancel, changeTerms, lockWithHome, todayAt } from './change.ts'
import * as contingencies from './contingencies.ts'
import * as deposits from './deposits.ts'
import { explained } from './price.ts'
import * as sales from './queries.ts'
import { assertChangeable, assertNotCancelled } from './sale.ts'
import { sell } from './sell.ts'

export const saleOperations = {
  async listSales({ query }, call) {
    return { status: 200, body: await sales.list(call, query) }
  },

  async createSale({ body }, call) {
    const sale = await call.write(async (call) => {
      const created = await sell(call, body, null)
      await recordEvent(call, 'sale.created', created)
      return created
    })
    return { status: 201, body: sale }
  },

  async getSale({ path }, call) {
    return { status: 200, body: await sales.find(call, path.saleId) }
  },

  async updateSale({ path, body, ifMatch }, call) {
    const sale = await call.write(async (call) => {
      const { sale: before } = await lockWithHome(call, path.saleId)
      checkIfMatch(ifMatch, before)
      assertChangeable(before, body)
      return changeTerms(call, before, body)
    })
    return { status: 200, body: sale }
  },

  async explainSalePrice({ path }, call) {
    return { status: 200, body: await explained(call, await sales.find(call, path.saleId)) }
  },

  async recordSaleDeposit({ path, body }, call) {
    const sale = await call.write(async (call) => {
      const before = await sales.lock(call, path.saleId)
      assertNotCancelled(before)
      const recorded = deposits.recorded(before.deposits, body, await todayAt(call, before))
      return sales.update(call, before, deposits.summedUp(recorded))
    })
    return { status: 200, body: sale }
  },

  async recordSaleContingency({ path, body }, call) {
    const sale = await call.write(async (call) => {
      const before = await sales.lock(call, path.saleId)
      assertNotCancelled(before)
      const recorded = contingencies.recorded(before.contingencies, body, await todayAt(call, before))
      return sales.update(call, before, contingencies.counted(recorded))
    })
    return { status: 200, body: sale }
  },

  async advanceSalePipeline({ path, body }, call) {
    const sale = await call.write((call) => advance(call, path.saleId, body))
    return { status: 200, body: sale }
  },

  async approveSale({ path, body }, call) {
    const sale = await call.write(async (call) => {
      const locked = await lockWithHome(call, path.saleId)
      assertVersionSeen(body.version, locked.sale)
      return approve(call, locked, body.reason ?? null)
    })
    return { status: 200, body: sale }
  },

  async cancelSale({ path, body }, call) {
    const sale = await call.write(async (call) => cancel(call, await lockWithHome(call, path.saleId), body))
    return { status: 200, body: sale }
  },
} satisfies Partial<Handlers>
