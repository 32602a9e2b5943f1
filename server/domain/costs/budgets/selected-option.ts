import type { BudgetLineSource, Option, Selection } from '../../../../client/contract.gen.ts'
import { computeLineTotal } from '../../../platform/values/money.ts'
import type { ChosenOption } from '../takeoffs/chosen-options.ts'
import type { EstimatedLine } from './estimate-queries.ts'

/** The fields of a selection that determine its cost and its place in the budget. */
export interface SelectedOption
  extends Pick<Selection, 'id' | 'quantity' | 'cost' | 'costBasis' | 'scope' | 'costCodeId' | 'customDescription'> {
  readonly option: Option | null
}

/** The statuses of selections that are included in the budget and in the price of the home. */
export const ACTIVE_STATUSES: readonly Selection['status'][] = ['approved', 'ordered', 'installed']

/** Returns the option from whose takeoff the cost is computed; null if the cost is an amount. */
export function getCostingOption({ option, costBasis }: SelectedOption): Option | null {
  return option?.costBasis === 'computed' && costBasis === 'option' ? option : null
}

export function toChosenOption(option: Option, quantity: number): ChosenOption {
  const { id, code, requiresOptionIds, excludesOptionIds } = option
  return { id, code, requiresOptionIds, excludesOptionIds, quantity }
}

export function toLineSource({ option }: SelectedOption): BudgetLineSource {
  return option?.optionType === 'allowance' ? 'allowance' : 'option'
}

/** Returns the cost of a selection whose cost is an amount; null if no amount has been entered yet. */
export function computeSelectionAmount(
  { option, quantity, cost, costBasis }: SelectedOption,
  currency: string,
): number | null {
  if (costBasis === 'given') return cost
  return option?.cost == null ? null : computeLineTotal(quantity, option.cost, currency)
}

/** Returns the budget line of a selection whose cost is an amount. */
export function toAmountLine(selected: SelectedOption, amount: number, noTrade: string): EstimatedLine {
  const { id, option, quantity, costBasis, scope, costCodeId, customDescription } = selected
  const isByUnit = costBasis === 'option' && option !== null
  return {
    ...{ source: toLineSource(selected), optionSelectionId: id, isTakenOut: false, takeoffLineId: null },
    ...{ partId: null, priceId: null, contractId: null, scope: scope ?? noTrade, costCodeId },
    description: option?.name ?? customDescription ?? '',
    ...{ quantity: isByUnit ? quantity : null, unit: isByUnit ? option.unit : null },
    ...{ unitCost: isByUnit ? option.cost : null, amount },
  }
}
