import type { ResolvedTakeoffLine } from '../../../../client/contract.gen.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { computeLineTotal, isWithinMoneyRange } from '../../../platform/values/money.ts'
import type { EstimatedLine } from './estimate-queries.ts'
import type { AgreedLumpSum } from './lump-sum-queries.ts'
import { getCostingOption, type SelectedOption, toLineSource } from './selected-option.ts'

/** The unit of a lump sum. */
const LUMP_SUM_UNIT = 'LS'

/** The trades for which a lump sum pays. Takeoff lines of these trades cost nothing. */
export class CoveredTrades {
  /** The lump sums by option and trade. The key null contains the lump sums for the home itself. */
  readonly #sums: ReadonlyMap<string | null, ReadonlyMap<string, AgreedLumpSum>>

  readonly #currency: string

  constructor(sums: readonly AgreedLumpSum[], currency: string) {
    this.#currency = currency
    const grouped = Map.groupBy(sums, ({ optionId }) => optionId)
    this.#sums = new Map(
      [...grouped].map(([optionId, own]) => [optionId, new Map(own.map((sum) => [sum.scope.toLowerCase(), sum]))]),
    )
  }

  /**
   * Returns whether a lump sum pays for the line. The same rule applies to lines that an option adds and to lines that
   * it removes.
   */
  has({ optionId, scope }: Pick<ResolvedTakeoffLine, 'optionId' | 'scope'>): boolean {
    return scope !== null && (this.#sums.get(optionId)?.has(scope.toLowerCase()) ?? false)
  }

  linesOfHome(): EstimatedLine[] {
    return this.#sumsOf(null).map((sum) => toEstimatedLine(sum, null, this.#currency))
  }

  /** Returns the lump sums of a selection; empty if the cost of the selection is an amount. */
  linesOf(selected: SelectedOption): EstimatedLine[] {
    const option = getCostingOption(selected)
    return option === null ? [] : this.#sumsOf(option.id).map((sum) => toEstimatedLine(sum, selected, this.#currency))
  }

  #sumsOf(optionId: string | null): AgreedLumpSum[] {
    return [...(this.#sums.get(optionId)?.values() ?? [])]
  }
}

function toEstimatedLine(
  { contractId, number, scope, ...sum }: AgreedLumpSum,
  selected: SelectedOption | null,
  currency: string,
): EstimatedLine {
  const quantity = selected?.quantity ?? 1
  const what = selected?.option == null ? scope : `${scope} for ${selected.option.code}`
  const amount = computeLineTotal(quantity, sum.amount, currency)
  if (!isWithinMoneyRange(amount))
    throw conflict('too_large', `The cost of ${what} exceeds the maximum amount of a budget line.`)
  return {
    source: selected === null ? 'base' : toLineSource(selected),
    optionSelectionId: selected?.id ?? null,
    ...{ isTakenOut: false, takeoffLineId: null, partId: null, priceId: null, contractId, scope },
    costCodeId: sum.costCodeId,
    description: sum.description ?? `${what}, as agreed in ${number}`,
    ...{ quantity, unit: LUMP_SUM_UNIT, unitCost: sum.amount, amount },
  }
}
