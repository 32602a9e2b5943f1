import { assertIfMatch, assertVersionSeen } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { advanceSale } from './advance-sale.ts'
import { approveSale, cancelSale, changeTerms, findTodayAtSite, lockWithHome } from './change-sale.ts'
import * as contingencies from './contingencies.ts'
import { createSale } from './create-sale.ts'
import * as deposits from './deposits.ts'
import { explainPrice } from './explain-price.ts'
import * as sales from './queries.ts'
import { assertChangeable, assertNotCancelled } from './sale.ts'

export const saleOperations = {
  async listSales({ query }, call) {
    return { status: 200, body: await sales.list(call, query) }
  },

  async createSale({ body }, call) {
    const sale = await call.write(async (call) => {
      const created = await createSale(call, body, null)
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
      assertIfMatch(ifMatch, before)
      assertChangeable(before, body)
      return changeTerms(call, before, body)
    })
    return { status: 200, body: sale }
  },

  async explainSalePrice({ path }, call) {
    return { status: 200, body: await explainPrice(call, await sales.find(call, path.saleId)) }
  },

  async recordSaleDeposit({ path, body }, call) {
    const sale = await call.write(async (call) => {
      const before = await sales.lock(call, path.saleId)
      assertNotCancelled(before)
      const recorded = deposits.applyDepositRecord(before.deposits, body, await findTodayAtSite(call, before))
      return sales.update(call, before, deposits.withDepositTotals(recorded))
    })
    return { status: 200, body: sale }
  },

  async recordSaleContingency({ path, body }, call) {
    const sale = await call.write(async (call) => {
      const before = await sales.lock(call, path.saleId)
      assertNotCancelled(before)
      const recorded = contingencies.applyContingencyRecord(
        before.contingencies,
        body,
        await findTodayAtSite(call, before),
      )
      return sales.update(call, before, contingencies.withOpenCount(recorded))
    })
    return { status: 200, body: sale }
  },

  async advanceSalePipeline({ path, body }, call) {
    const sale = await call.write((call) => advanceSale(call, path.saleId, body))
    return { status: 200, body: sale }
  },

  async approveSale({ path, body }, call) {
    const sale = await call.write(async (call) => {
      const locked = await lockWithHome(call, path.saleId)
      assertVersionSeen(body.version, locked.sale)
      return approveSale(call, locked, body.reason ?? null)
    })
    return { status: 200, body: sale }
  },

  async cancelSale({ path, body }, call) {
    const sale = await call.write(async (call) => cancelSale(call, await lockWithHome(call, path.saleId), body))
    return { status: 200, body: sale }
  },
} satisfies Partial<Handlers>
