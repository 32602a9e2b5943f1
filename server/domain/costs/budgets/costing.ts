import type { Home, ResolvedTakeoffLine, UnpricedLine } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { isWithinMoneyRange, sum } from '../../../platform/values/money.ts'
import * as plans from '../../land/plans/queries.ts'
import { NO_TRADE } from '../../ledger/no-trade.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { findPrices } from '../prices/find-prices.ts'
import { ChoiceError, type ChosenOption } from '../takeoffs/chosen-options.ts'
import { FormulaError } from '../takeoffs/formula.ts'
import { computeHomeLines, type HomeLines } from '../takeoffs/home-lines.ts'
import { CoveredTrades } from './covered-trades.ts'
import type { EstimatedLine } from './estimate-queries.ts'
import { findAgreedLumpSums } from './lump-sum-queries.ts'
import {
  computeSelectionAmount,
  getCostingOption,
  type SelectedOption,
  toAmountLine,
  toChosenOption,
  toLineSource,
} from './selected-option.ts'

/** The maximum quantity of a budget line. */
const MAX_QUANTITY = 9_999_999_999.9999

/** The fields of a home that determine its costs. The home does not need to exist. */
export type CostingHome = Pick<Home, 'name' | 'communityId' | 'planId' | 'planRevision' | 'elevation'>

/** A request for the costs of a home and of some of its selections. */
export interface CostingRequest {
  readonly on: string
  readonly base: boolean
  /** All selections of the home, because one selection can affect the cost of another. */
  readonly selected: readonly SelectedOption[]
  /**
   * The IDs of the selections whose costs are returned. The takeoffs of the other selections still affect these costs.
   */
  readonly of: ReadonlySet<string>
  /** Options that are costed as if they were selected. */
  readonly also: readonly ChosenOption[]
}

/**
 * The cost of a selection. The amount is null if a part has no price, because the sum of the other parts would be
 * misleading.
 */
export interface CostedSelection {
  readonly id: string
  readonly cost: number | null
  readonly unpriced: readonly UnpricedLine[]
  readonly lines: readonly EstimatedLine[]
}

export interface Costing {
  readonly base: { readonly lines: readonly EstimatedLine[]; readonly unpriced: readonly UnpricedLine[] }
  readonly selections: readonly CostedSelection[]
}

/** A takeoff line to price, which belongs to the home or to a selection. */
interface LineToPrice {
  readonly line: ResolvedTakeoffLine
  readonly selected: SelectedOption | null
  readonly isTakenOut: boolean
}

/**
 * Computes the costs of a home and its selections on a date, line by line. The number of statements does not depend on
 * the number of lines or selections.
 */
export async function computeCosting(call: Call, home: CostingHome, requested: CostingRequest): Promise<Costing> {
  const asked = requested.selected.filter(({ id }) => requested.of.has(id))
  const isTakeoffNeeded = requested.base || asked.some((selected) => getCostingOption(selected) !== null)
  const house = isTakeoffNeeded ? await listHomeLines(call, home, requested) : { base: [], options: [] }
  const covered = isTakeoffNeeded
    ? await findCoveredTrades(call, home, requested)
    : new CoveredTrades([], call.currency)
  const lines = listLinesToPrice(house, requested.base, asked).filter(({ line }) => !covered.has(line))
  const quantities = lines.map(({ line, isTakenOut }) => ({
    partId: line.partId,
    quantity: isTakenOut ? -line.quantity : line.quantity,
  }))
  const { communityId, planId } = home
  const prices = lines.length === 0 ? [] : await findPrices(call, quantities, { communityId, planId, on: requested.on })
  const priced = lines.map((each, i) => ({
    ...each,
    ...toEstimatedLine(each, quantities[i]?.quantity ?? 0, prices[i]),
  }))
  const sums = {
    house: requested.base ? covered.linesOfHome() : [],
    of: new Map(asked.map((one) => [one.id, covered.linesOf(one)])),
  }
  const bySelection = Map.groupBy(priced, ({ selected }) => selected?.id ?? null)
  const trades = await findTrades(call, [
    ...priced.flatMap(({ made }) => made?.scope ?? []),
    ...[...sums.house, ...[...sums.of.values()].flat()].map(({ scope }) => scope),
    ...asked.flatMap(listTradesOfAmount),
  ])
  const spelled = (line: EstimatedLine) => ({ ...line, scope: trades.get(line.scope.toLowerCase()) ?? line.scope })
  const ofBase = bySelection.get(null) ?? []
  return {
    base: {
      lines: [...sums.house, ...ofBase.flatMap(({ made }) => made ?? [])].map(spelled),
      unpriced: ofBase.flatMap(({ missing }) => missing ?? []),
    },
    selections: asked.map((selected) => {
      const costed = toCostedSelection(
        selected,
        sums.of.get(selected.id) ?? [],
        bySelection.get(selected.id) ?? [],
        call.currency,
      )
      return { ...costed, lines: costed.lines.map(spelled) }
    }),
  }
}

async function listHomeLines(call: Call, home: CostingHome, { selected, also }: CostingRequest): Promise<HomeLines> {
  const { planId, planRevision, elevation } = home
  if (planId === null || planRevision === null)
    throw conflict(
      'missing_data',
      `Cannot estimate the budget: ${home.name} has no plan. Set planId on the home first.`,
    )
  const built = await plans.findRevision(call, planId, planRevision)
  if (built === undefined) throw new Error('Expected the home to have a released plan revision.')
  const chosen = selected.flatMap((each) => {
    const option = getCostingOption(each)
    return option === null ? [] : [toChosenOption(option, each.quantity)]
  })
  const house = { planId, revision: planRevision, elevation }
  return computeHomeLines(call, house, built, [...chosen, ...also]).catch((error: unknown) => {
    // A formula can become invalid after it was saved, for example if the plan loses a figure or the takeoff of an
    // option changes.
    if (error instanceof FormulaError)
      throw conflict(
        'not_suitable',
        `Cannot compute the cost of ${home.name}: a formula of its takeoff is not valid (${error.message}). Correct the takeoff first.`,
      )
    if (error instanceof ChoiceError)
      throw conflict('not_suitable', `Cannot compute the cost of ${home.name}. ${error.message}`)
    throw error
  })
}

async function findCoveredTrades(
  call: Call,
  home: CostingHome,
  { selected, also, on }: CostingRequest,
): Promise<CoveredTrades> {
  const optionIds = [...selected.flatMap((each) => getCostingOption(each)?.id ?? []), ...also.map(({ id }) => id)]
  return new CoveredTrades(await findAgreedLumpSums(call, home, optionIds, on), call.currency)
}

/**
 * Returns the lines to price. If a selection replaces a line of the home, the home's line remains in the budget, and
 * the selection has a negative line that offsets it.
 */
function listLinesToPrice(
  { base, options }: HomeLines,
  isBaseWanted: boolean,
  requested: readonly SelectedOption[],
): LineToPrice[] {
  const byOption = new Map(options.map((each) => [each.option.id, each]))
  return [
    ...(isBaseWanted ? base.map((line) => ({ line, selected: null, isTakenOut: false })) : []),
    ...requested.flatMap((selected) => {
      const { own = [], takenOut = [] } = byOption.get(getCostingOption(selected)?.id ?? '') ?? {}
      return [
        ...own.map((line) => ({ line, selected, isTakenOut: false })),
        ...takenOut.map((line) => ({ line, selected, isTakenOut: true })),
      ]
    }),
  ]
}

type FoundLinePrice = Awaited<ReturnType<typeof findPrices>>[number] | undefined

function toEstimatedLine({ line, selected, isTakenOut }: LineToPrice, quantity: number, found: FoundLinePrice) {
  const { lineId, partId, sku, name, scope, costCodeId, unit } = line
  const { price = null, total = null, issue = null } = found ?? {}
  const optionSelectionId = selected?.id ?? null
  if (price === null || total === null) {
    const missing = { optionSelectionId, lineId, partId, sku, name, scope, quantity, unit }
    return { made: null, missing: issue === null ? [] : [{ ...missing, issue }] }
  }
  if (!isWithinMoneyRange(total) || Math.abs(quantity) > MAX_QUANTITY)
    throw conflict('too_large', `The cost of ${name} exceeds the maximum amount of a budget line.`)
  const made: EstimatedLine = {
    ...{
      source: selected === null ? 'base' : toLineSource(selected),
      optionSelectionId,
      isTakenOut,
      takeoffLineId: lineId,
    },
    ...{ partId, priceId: price.id, contractId: null, scope: scope ?? NO_TRADE, costCodeId },
    ...{ description: isTakenOut ? `${name}, taken out` : name, quantity, unit, unitCost: price.unitPrice },
    amount: total,
  }
  return { made, missing: [] }
}

function toCostedSelection(
  selected: SelectedOption,
  sums: readonly EstimatedLine[],
  priced: readonly ReturnType<typeof toEstimatedLine>[],
  currency: string,
): CostedSelection {
  const { id } = selected
  if (getCostingOption(selected) === null) {
    const amount = computeSelectionAmount(selected, currency)
    if (amount === null) return { id, cost: null, unpriced: [], lines: [] }
    return { id, cost: toMoney(selected, amount), unpriced: [], lines: [toAmountLine(selected, amount, NO_TRADE)] }
  }
  const unpriced = priced.flatMap(({ missing }) => missing)
  if (unpriced.length > 0) return { id, cost: null, unpriced, lines: [] }
  const lines = [...sums, ...priced.flatMap(({ made }) => made ?? [])]
  return { id, cost: toMoney(selected, sum(lines.map(({ amount }) => amount))), unpriced, lines }
}

function toMoney({ option }: SelectedOption, cost: number): number {
  if (isWithinMoneyRange(cost)) return cost
  throw conflict('too_large', `The cost of ${option?.code ?? 'the selection'} exceeds the maximum amount of a budget.`)
}

/**
 * Returns the trade of a selection whose cost is an amount. If the cost is computed, returns no trade, because each
 * takeoff line has its own trade.
 */
function listTradesOfAmount(selected: SelectedOption): string[] {
  return getCostingOption(selected) === null ? [selected.scope ?? NO_TRADE] : []
}

/** Returns the organization's current spelling of the trades. Creates missing trades only if the call writes. */
async function findTrades(call: Call, provided: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (provided.length === 0) return new Map()
  const names = [...new Set(provided)]
  const spelled = call.isWriting
    ? (await scopes.findOrCreateTrades(call, names, true)).spelled
    : await scopes.findCanonicalTradeNames(call, names)
  return new Map([...spelled.values()].map((name) => [name.toLowerCase(), name]))
}
