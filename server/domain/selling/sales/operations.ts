import { assertIfMatch, assertVersionSeen } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { advanceSale } from './advance-sale.ts'
import { approveSale, cancelSale, changeSaleTerms, findTodayInCommunity, lockSaleWithHome } from './change-sale.ts'
import * as contingencies from './contingencies.ts'
import { createSale } from './create-sale.ts'
import * as deposits from './deposits.ts'
import { explainPrice } from './explain-price.ts'
import { postOwnerAmounts } from './post-owner-amounts.ts'
import * as sales from './queries.ts'
import { assertFieldsChangeable, assertSaleNotCanceled } from './sale.ts'

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
      const { sale: before } = await lockSaleWithHome(call, path.saleId)
      assertIfMatch(ifMatch, before)
      assertFieldsChangeable(before, body)
      return changeSaleTerms(call, before, body)
    })
    return { status: 200, body: sale }
  },

  async explainSalePrice({ path }, call) {
    return { status: 200, body: await explainPrice(call, await sales.find(call, path.saleId)) }
  },

  async recordSaleDeposit({ path, body }, call) {
    const sale = await call.write(async (call) => {
      const before = await sales.lock(call, path.saleId)
      assertSaleNotCanceled(before)
      const today = await findTodayInCommunity(call, before)
      const recorded = deposits.applyDepositRecord(before.deposits, body, today)
      const after = await sales.update(call, before, deposits.toDepositFields(recorded))
      await postOwnerAmounts(call, after.id, body.date ?? today)
      return after
    })
    return { status: 200, body: sale }
  },

  async recordSaleContingency({ path, body }, call) {
    const sale = await call.write(async (call) => {
      const before = await sales.lock(call, path.saleId)
      assertSaleNotCanceled(before)
      const recorded = contingencies.applyContingencyRecord(
        before.contingencies,
        body,
        await findTodayInCommunity(call, before),
      )
      return sales.update(call, before, contingencies.toContingencyFields(recorded))
    })
    return { status: 200, body: sale }
  },

  async advanceSalePipeline({ path, body }, call) {
    const sale = await call.write((call) => advanceSale(call, path.saleId, body))
    return { status: 200, body: sale }
  },

  async approveSale({ path, body }, call) {
    const sale = await call.write(async (call) => {
      const locked = await lockSaleWithHome(call, path.saleId)
      assertVersionSeen(body.version, locked.sale)
      return approveSale(call, locked, body.reason ?? null)
    })
    return { status: 200, body: sale }
  },

  async cancelSale({ path, body }, call) {
    const sale = await call.write(async (call) => cancelSale(call, await lockSaleWithHome(call, path.saleId), body))
    return { status: 200, body: sale }
  },
} satisfies Partial<Handlers>
