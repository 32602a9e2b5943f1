import type { BudgetEstimate, FoundPrice, Home, ResolvedTakeoffLine } from '../../../client/contract.gen.ts'
import * as scopes from '../../bidding/scopes/queries.ts'
import { noteChange, type WriteCall } from '../../http/call.ts'
import { problem } from '../../http/problem.ts'
import * as communities from '../../land/communities/queries.ts'
import * as plans from '../../land/plans/queries.ts'
import { dateIn } from '../../values/calendar.ts'
import { isMoney, sum } from '../../values/money.ts'
import { findPrices } from '../prices/choice.ts'
import { FormulaFault } from '../takeoffs/formula.ts'
import { boughtLines, houseLines } from '../takeoffs/resolved.ts'
import { type EstimatedLine, replaceEstimate } from './estimate-queries.ts'

/** The scope under which a part without a trade is budgeted. */
const NO_TRADE = 'unassigned'

/** The largest quantity that a budget line can hold. */
const MOST_QUANTITY = 9_999_999_999.9999

/**
 * Computes the budget of a locked home that may still be estimated. The number of statements does not depend on how
 * much the house takes.
 */
export async function estimate(call: WriteCall, home: Home, date: string | undefined): Promise<BudgetEstimate> {
  const { planId, planRevision, elevation } = home
  if (home.budgetLockedAt !== null)
    throw problem('conflict', `The budget of ${home.name} has been locked since ${home.budgetLockedAt}.`)
  if (planId === null || planRevision === null)
    throw problem('conflict', `${home.name} has no plan to be estimated by.`)
  const built = await plans.findRevision(call, planId, planRevision)
  if (built === undefined) throw new Error('A home is built from a released revision.')
  const community = await communities.find(call, home.communityId)
  const on = date ?? dateIn(community.timeZone, call.now)
  const house = { planId, revision: planRevision, elevation }
  const taken = await houseLines(call, house, built, []).catch((error: unknown) => {
    // The plan may have lost a figure since its takeoff was made.
    if (error instanceof FormulaFault) throw problem('conflict', `A formula of the takeoff ${error.message}.`)
    throw error
  })
  const lines = boughtLines(taken)
  const prices = await findPrices(call, lines, { communityId: community.id, planId, on })
  const priced = await inTrades(call, pricedLines(lines, prices))
  const { added, changed, removed } = await replaceEstimate(call, home.id, priced)
  if (added + changed + removed > 0) noteChange(call, home.id, 'updated', ['budget'])
  return {
    ...{ homeId: home.id, planId, planRevision, elevation, on },
    total: sum(priced.map(({ amount }) => amount)),
    ...{ priced: priced.length, added, changed, removed },
    unpriced: unpricedLines(lines, prices),
    currency: call.currency,
  }
}

function pricedLines(lines: readonly ResolvedTakeoffLine[], prices: readonly FoundPrice[]): EstimatedLine[] {
  return lines.flatMap((line, i) => {
    const { price, total } = prices[i] ?? {}
    if (price == null || total == null) return []
    const { lineId, partId, scope, costCodeId, quantity, unit, name } = line
    if (!isMoney(total) || Math.abs(quantity) > MOST_QUANTITY)
      throw problem('conflict', `${name} comes to more than a budget line can hold.`)
    return [
      {
        ...{ takeoffLineId: lineId, partId, priceId: price.id, scope: scope ?? NO_TRADE, costCodeId },
        ...{ description: name, quantity, unit, unitCost: price.unitPrice, amount: total },
      },
    ]
  })
}

function unpricedLines(lines: readonly ResolvedTakeoffLine[], prices: readonly FoundPrice[]) {
  return lines.flatMap(({ lineId, partId, sku, name, scope, quantity, unit }, i) => {
    const issue = prices[i]?.issue ?? null
    return issue === null ? [] : [{ lineId, partId, sku, name, scope, quantity, unit, issue }]
  })
}

/** The lines with their trades as the organization spells them now. */
async function inTrades(call: WriteCall, lines: readonly EstimatedLine[]): Promise<EstimatedLine[]> {
  const given = [...new Set(lines.map(({ scope }) => scope))]
  const spelled = await scopes.named(call, given)
  const byName = new Map(spelled.map((name) => [name.toLowerCase(), name]))
  return lines.map((line) => ({ ...line, scope: byName.get(line.scope.toLowerCase()) ?? line.scope }))
}
