import type { Home, Option, Selection } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { computeLineTotal, isWithinMoneyRange } from '../../../platform/values/money.ts'
import { type CostedSelection, computeCosting } from '../../costs/budgets/costing.ts'
import { toSelectionIssues } from '../../costs/budgets/estimate-budget.ts'
import { getCostingOption, toChosenOption } from '../../costs/budgets/selected-option.ts'
import type { ActiveSelection } from '../../costs/budgets/selection-queries.ts'
import { listRequiredOptions } from '../../costs/options/queries.ts'
import { computeUnitPrice } from './selection.ts'

type QuotedAmounts = Pick<Selection, 'unitPrice' | 'price' | 'cost' | 'issues'>

/** A selection that will be stored, with the fields that determine its cost. */
export type SelectionDraft = ActiveSelection & Pick<Selection, 'unitPrice' | 'priceBasis'>

export interface SelectionQuote {
  readonly amounts: QuotedAmounts
  /** The costs of the selection and of the approved selections that depend on it. */
  readonly costs: readonly CostedSelection[]
}

/**
 * Returns the cost and the price of a selection on a date. Computes the cost together with the home's approved
 * selections and the options that the selection requires. Also computes the costs of the approved selections that
 * depend on it.
 */
export async function quoteSelection(
  call: Call,
  home: Home,
  draft: SelectionDraft,
  { standing, on, dependents }: { standing: readonly ActiveSelection[]; on: string; dependents: readonly string[] },
): Promise<SelectionQuote> {
  const option = getCostingOption(draft)
  if (option !== null && home.planId === null)
    throw conflict(
      'missing_data',
      `Cannot compute the cost of ${option.code}: ${home.name} has no plan. Set cost instead.`,
    )
  const selected = [...standing.filter(({ id }) => id !== draft.id), draft]
  const of = new Set([draft.id, ...dependents])
  const also = option === null ? [] : await listMissingRequired(call, option, selected)
  const costs = (await computeCosting(call, home, { on, base: false, selected, of, also })).selections
  const own = costs.find(({ id }) => id === draft.id)
  const cost = own?.cost ?? null
  const unitPrice = computeUnitPrice(draft, draft.option, cost)
  return {
    amounts: {
      unitPrice,
      price: computeSelectionPrice(draft.quantity, unitPrice, call.currency),
      cost,
      issues: toSelectionIssues(own?.unpriced ?? []),
    },
    costs,
  }
}

export function computeSelectionPrice(quantity: number, unitPrice: number | null, currency: string): number | null {
  if (unitPrice === null) return null
  const price = computeLineTotal(quantity, unitPrice, currency)
  if (isWithinMoneyRange(price)) return price
  throw validationFailed([
    {
      pointer: '/unitPrice',
      code: 'maximum',
      message: 'times quantity must not exceed the maximum price of a selection',
    },
  ])
}

export function createUnknownPriceProblem(name: string) {
  return conflict('missing_data', `Cannot price ${name}: some of its parts have no price.`)
}

/**
 * Returns the options with a computed cost that the option requires and that are not in `selected`. Their costs are
 * computed together with the option, even if they are not approved yet.
 */
async function listMissingRequired(call: Call, option: Option, selected: readonly ActiveSelection[]) {
  if (option.requiresOptionIds.length === 0) return []
  const there = new Set(selected.map(({ option }) => option?.id))
  const required = await listRequiredOptions(call, option.id)
  return required
    .filter(({ id, costBasis }) => costBasis === 'computed' && !there.has(id))
    .map((each) => toChosenOption(each, 1))
}
