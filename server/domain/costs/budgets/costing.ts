import type { Home, ResolvedTakeoffLine, UnpricedLine } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { isMoney, sum } from '../../../platform/values/money.ts'
import * as plans from '../../land/plans/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { findPrices } from '../prices/find-prices.ts'
import { ChoiceError, type ChosenOption } from '../takeoffs/chosen-options.ts'
import { FormulaError } from '../takeoffs/formula.ts'
import { computeHouseLines, type HouseLines } from '../takeoffs/house-lines.ts'
import { CoveredTrades } from './covered-trades.ts'
import type { EstimatedLine } from './estimate-queries.ts'
import { findAgreedSums } from './lump-sum-queries.ts'
import { NO_TRADE } from './no-trade.ts'
import {
  computeAmount,
  optionForCost,
  type Selected,
  toAmountLine,
  toChosenOption,
  toLineSource,
} from './selected-option.ts'

/** The largest quantity that a budget line can hold. */
const MAX_QUANTITY = 9_999_999_999.9999

/** The fields of a home that costs depend on; the home need not exist. */
export type CostedHouse = Pick<Home, 'name' | 'communityId' | 'planId' | 'planRevision' | 'elevation'>

/** Subjects to cost: the home itself, and some of its selections. */
export interface CostingRequest {
  readonly on: string
  readonly base: boolean
  /** All selections of the home, because one can depend on another. */
  readonly selected: readonly Selected[]
  /** IDs of the selections to cost. The takeoffs of the others still matter. */
  readonly of: ReadonlySet<string>
  /** Options that are treated as selected although they are not. */
  readonly also: readonly ChosenOption[]
}

/** The cost of a selection. Null if a part has no price, because the sum of the rest would be misleading. */
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

/** A takeoff line to price, for the home or for a selection. */
interface LineToPrice {
  readonly line: ResolvedTakeoffLine
  readonly selected: Selected | null
  readonly isTakenOut: boolean
}

/**
 * Computes the cost of a home and its selections on a date, by line. The number of statements depends neither on the
 * lines nor on the selections.
 */
export async function computeCosting(call: Call, home: CostedHouse, requested: CostingRequest): Promise<Costing> {
  const asked = requested.selected.filter(({ id }) => requested.of.has(id))
  const isTakeoffNeeded = requested.base || asked.some((selected) => optionForCost(selected) !== null)
  const house = isTakeoffNeeded ? await listHouseLines(call, home, requested) : { base: [], options: [] }
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
    house: requested.base ? covered.linesOfHouse() : [],
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

async function listHouseLines(call: Call, home: CostedHouse, { selected, also }: CostingRequest): Promise<HouseLines> {
  const { planId, planRevision, elevation } = home
  if (planId === null || planRevision === null)
    throw conflict(
      'missing_data',
      `Cannot estimate the budget: ${home.name} has no plan. Set planId on the home first.`,
    )
  const built = await plans.findRevision(call, planId, planRevision)
  if (built === undefined) throw new Error('Expected the home to have a released plan revision.')
  const chosen = selected.flatMap((each) => {
    const option = optionForCost(each)
    return option === null ? [] : [toChosenOption(option, each.quantity)]
  })
  const house = { planId, revision: planRevision, elevation }
  return computeHouseLines(call, house, built, [...chosen, ...also]).catch((error: unknown) => {
    // The plan may have lost a figure since its takeoff was saved, and takeoffs of options can change.
    if (error instanceof FormulaError)
      throw conflict(
        'not_suitable',
        `Cannot compute the cost of ${home.name}: a formula of the takeoff ${error.message}. Correct the takeoff first.`,
      )
    if (error instanceof ChoiceError)
      throw conflict('not_suitable', `Cannot compute the cost of ${home.name}. ${error.message}`)
    throw error
  })
}

async function findCoveredTrades(
  call: Call,
  home: CostedHouse,
  { selected, also, on }: CostingRequest,
): Promise<CoveredTrades> {
  const optionIds = [...selected.flatMap((each) => optionForCost(each)?.id ?? []), ...also.map(({ id }) => id)]
  return new CoveredTrades(await findAgreedSums(call, home, optionIds, on), call.currency)
}

/** In the budget, a line that a selection replaces stays, and the selection has a negative line for it. */
function listLinesToPrice(
  { base, options }: HouseLines,
  isBaseWanted: boolean,
  requested: readonly Selected[],
): LineToPrice[] {
  const byOption = new Map(options.map((each) => [each.option.id, each]))
  return [
    ...(isBaseWanted ? base.map((line) => ({ line, selected: null, isTakenOut: false })) : []),
    ...requested.flatMap((selected) => {
      const { own = [], takenOut = [] } = byOption.get(optionForCost(selected)?.id ?? '') ?? {}
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
  if (!isMoney(total) || Math.abs(quantity) > MAX_QUANTITY)
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
  selected: Selected,
  sums: readonly EstimatedLine[],
  priced: readonly ReturnType<typeof toEstimatedLine>[],
  currency: string,
): CostedSelection {
  const { id } = selected
  if (optionForCost(selected) === null) {
    const amount = computeAmount(selected, currency)
    if (amount === null) return { id, cost: null, unpriced: [], lines: [] }
    return { id, cost: toMoney(selected, amount), unpriced: [], lines: [toAmountLine(selected, amount, NO_TRADE)] }
  }
  const unpriced = priced.flatMap(({ missing }) => missing)
  if (unpriced.length > 0) return { id, cost: null, unpriced, lines: [] }
  const lines = [...sums, ...priced.flatMap(({ made }) => made ?? [])]
  return { id, cost: toMoney(selected, sum(lines.map(({ amount }) => amount))), unpriced, lines }
}

function toMoney({ option }: Selected, cost: number): number {
  if (isMoney(cost)) return cost
  throw conflict('too_large', `The cost of ${option?.code ?? 'the selection'} exceeds the maximum amount of a budget.`)
}

/**
 * Returns the trade under which the selection is budgeted if its cost is an amount. The lines of a takeoff have their
 * own trades.
 */
function listTradesOfAmount(selected: Selected): string[] {
  return optionForCost(selected) === null ? [selected.scope ?? NO_TRADE] : []
}

/** Returns the trades in the organization's current spelling. Only a call that writes creates missing ones. */
async function findTrades(call: Call, provided: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (provided.length === 0) return new Map()
  const names = [...new Set(provided)]
  const spelled = call.isWriting
    ? (await scopes.findOrCreateTrades(call, names, true)).spelled
    : await scopes.canonicalTradeNames(call, names)
  return new Map([...spelled.values()].map((name) => [name.toLowerCase(), name]))
}
