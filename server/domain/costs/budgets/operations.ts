import type { Home, HomeBudget } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { syncRows } from '../../../platform/resources/sync-rows.ts'
import { formatTimestamp } from '../../../platform/values/format.ts'
import { explainWhyBudgetIsFixed } from '../../land/homes/home.ts'
import * as homes from '../../land/homes/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { assertCostCodesInUse } from '../cost-codes/assert-cost-codes-in-use.ts'
import { BELONGS_TO_SELECTION, buildBudgetLine, explainWhyLineIsFixed, toBudgetLineChanges } from './budget-line.ts'
import { estimateBudget } from './estimate-budget.ts'
import { findBudgetRows } from './figure-queries.ts'
import { toBudget } from './home-budget.ts'
import { lockHomeForBudget } from './lock-home-for-budget.ts'
import { postBudget } from './post-budget.ts'
import * as budgetLines from './queries.ts'
import { defineBudgetLineSync } from './sync-budget-lines.ts'

export const budgetOperations = {
  async getHomeBudget({ path }, call) {
    const home = await homes.find(call, path.homeId)
    return { status: 200, body: await readHomeBudget(call, home) }
  },

  async listBudgetLines({ path, query }, call) {
    await homes.find(call, path.homeId)
    return { status: 200, body: await budgetLines.list(call, query, { homeId: path.homeId }) }
  },

  async addBudgetLine({ path, query, body }, call) {
    const line = await call.write(async (call) => {
      // After the home is locked, another request can no longer lock the budget during this update.
      const home = await lockHomeForBudget(call, path.homeId)
      await assertCostCodeInUse(call, body.costCodeId)
      const scope = await scopes.requireTrade(call, body.scope, query.createScopes)
      const values = buildBudgetLine(
        home.id,
        { ...body, scope },
        { isLocked: home.budgetLockedAt !== null, currency: call.currency },
      )
      const costCodeId = body.costCodeId === undefined ? await scopes.findDefaultCostCode(call, scope) : body.costCodeId
      const added = await budgetLines.insert(call, { ...values, costCodeId })
      await recordEvent(call, 'budget_line.created', added)
      await postBudget(call, home)
      return added
    })
    return { status: 201, body: line }
  },

  async syncBudgetLines({ query, body }, call) {
    return { status: 200, body: await syncRows(call, body, defineBudgetLineSync(body.match, query.createScopes)) }
  },

  async estimateHomeBudget({ path, body }, call) {
    const estimated = await call.write(async (call) =>
      estimateBudget(call, await lockHomeForBudget(call, path.homeId), body.on),
    )
    return { status: 200, body: estimated }
  },

  async lockHomeBudget({ path }, call) {
    const budget = await call.write(async (call) => {
      const home = await lockHomeForBudget(call, path.homeId)
      if (home.budgetLockedAt !== null) {
        throw conflict(
          'budget_locked',
          `Cannot lock the budget of ${home.name}: it was already locked on ${formatTimestamp(home.budgetLockedAt, call.timeZone)}.`,
        )
      }
      if (!(await budgetLines.hasBudgetLines(call, home.id))) {
        throw conflict('missing_data', `Cannot lock the budget of ${home.name}: it has no lines. Add a line first.`)
      }
      const locked = await homes.update(call, home, { budgetLockedAt: call.now.toISOString() })
      await recordEvent(call, 'home.updated', locked, home)
      await postBudget(call, locked)
      return readHomeBudget(call, locked)
    })
    return { status: 200, body: budget }
  },

  async getBudgetLine({ path }, call) {
    return { status: 200, body: await budgetLines.find(call, path.budgetLineId) }
  },

  async updateBudgetLine({ path, query, body, ifMatch }, call) {
    const line = await call.write(async (call) => {
      const { homeId } = await budgetLines.find(call, path.budgetLineId)
      const home = await lockHomeForBudget(call, homeId)
      const before = await budgetLines.lock(call, path.budgetLineId)
      assertIfMatch(ifMatch, before)
      if (before.archivedAt !== null)
        throw conflict('archived', 'Cannot change the budget line: it has been removed from the budget.')
      const isLocked = home.budgetLockedAt !== null
      const fixed = explainWhyLineIsFixed(before, body.scope, isLocked)
      if (fixed !== null) throw conflict('fixed', fixed)
      if (body.costCodeId !== before.costCodeId) await assertCostCodeInUse(call, body.costCodeId)
      const scope =
        body.scope === undefined ? before.scope : await scopes.requireTrade(call, body.scope, query.createScopes)
      const changes = toBudgetLineChanges(before, { ...body, scope }, { isLocked, currency: call.currency })
      const after = await budgetLines.update(call, before, changes)
      if (after.version !== before.version) await recordEvent(call, 'budget_line.updated', after, before)
      await postBudget(call, home)
      return after
    })
    return { status: 200, body: line }
  },

  async removeBudgetLine({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const { homeId } = await budgetLines.find(call, path.budgetLineId)
      const home = await homes.lock(call, homeId)
      const before = await budgetLines.lock(call, path.budgetLineId)
      assertIfMatch(ifMatch, before)
      if (before.archivedAt !== null) return
      const reason =
        explainWhyBudgetIsFixed(home) ??
        (before.optionSelectionId === null ? null : BELONGS_TO_SELECTION) ??
        (home.budgetLockedAt !== null
          ? 'Cannot remove the budget line: the budget is locked. Set the amount to 0 instead.'
          : null) ??
        ((await budgetLines.isLineOrdered(call, before.id))
          ? 'Cannot remove the budget line: purchase orders refer to it. Set the amount to 0 instead.'
          : null)
      if (reason !== null) throw conflict('in_use', reason)
      await recordEvent(call, 'budget_line.updated', await budgetLines.archive(call, before), before)
    })
    return { status: 204 }
  },
} satisfies Partial<Handlers>

async function assertCostCodeInUse(call: WriteCall, costCodeId: string | null | undefined): Promise<void> {
  if (costCodeId != null) await assertCostCodesInUse(call, [{ pointer: '/costCodeId', costCodeId }])
}

async function readHomeBudget(call: Call, home: Home): Promise<HomeBudget> {
  return {
    ...toBudget((await findBudgetRows(call, [home.id])).get(home.id) ?? [], call.currency),
    homeId: home.id,
    lockedAt: home.budgetLockedAt,
    asOf: call.now.toISOString(),
    currency: call.currency,
  }
}
