import type { Home, Option, Selection } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { conflict, invalid } from '../../../platform/problems/problem.ts'
import { isMoney, lineTotal } from '../../../platform/values/money.ts'
import { type Costed, costing } from '../../costs/budgets/costing.ts'
import { issuesOf } from '../../costs/budgets/estimate.ts'
import { asChosen, computedBy } from '../../costs/budgets/selected.ts'
import type { StandingSelection } from '../../costs/budgets/selection-queries.ts'
import { requiredOf } from '../../costs/options/queries.ts'
import { unitPriceOf } from './selection.ts'

type Amounts = Pick<Selection, 'unitPrice' | 'price' | 'cost' | 'issues'>

/** A selection to be written, in the form in which it is costed. */
export type Draft = StandingSelection & Pick<Selection, 'unitPrice' | 'priceBasis'>

export interface Quote {
  readonly amounts: Amounts
  /** The costs of the selection, and of the approved ones that depend on it. */
  readonly costs: readonly Costed[]
}

/**
 * Returns the cost and the price of a selection on a date. It is costed together with the home's approved selections
 * and the options that it requires. The costs of its `dependents` are computed again.
 */
export async function quote(
  call: Call,
  home: Home,
  draft: Draft,
  { standing, on, dependents }: { standing: readonly StandingSelection[]; on: string; dependents: readonly string[] },
): Promise<Quote> {
  const option = computedBy(draft)
  if (option !== null && home.planId === null)
    throw conflict(
      'missing_data',
      `Cannot compute the cost of ${option.code}: ${home.name} has no plan. Set cost instead.`,
    )
  const selected = [...standing.filter(({ id }) => id !== draft.id), draft]
  const of = new Set([draft.id, ...dependents])
  const also = option === null ? [] : await requiredButNotSelected(call, option, selected)
  const costs = (await costing(call, home, { on, base: false, selected, of, also })).selections
  const own = costs.find(({ id }) => id === draft.id)
  const cost = own?.cost ?? null
  const unitPrice = unitPriceOf(draft, draft.option, cost)
  return {
    amounts: {
      unitPrice,
      price: priceOf(draft.quantity, unitPrice, call.currency),
      cost,
      issues: issuesOf(own?.unpriced ?? []),
    },
    costs,
  }
}

export function priceOf(quantity: number, unitPrice: number | null, currency: string): number | null {
  if (unitPrice === null) return null
  const price = lineTotal(quantity, unitPrice, currency)
  if (isMoney(price)) return price
  throw invalid([
    {
      pointer: '/unitPrice',
      code: 'maximum',
      message: 'times quantity must not exceed the maximum price of a selection',
    },
  ])
}

export function priceUnknown(name: string) {
  return conflict('missing_data', `Cannot price ${name}: some of its parts have no price.`)
}

/** An option builds on what it requires, whether or not that has been approved yet. */
async function requiredButNotSelected(call: Call, option: Option, selected: readonly StandingSelection[]) {
  if (option.requiresOptionIds.length === 0) return []
  const there = new Set(selected.map(({ option }) => option?.id))
  const required = await requiredOf(call, option.id)
  return required
    .filter(({ id, costBasis }) => costBasis === 'computed' && !there.has(id))
    .map((each) => asChosen(each, 1))
}
