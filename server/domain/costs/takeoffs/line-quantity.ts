import Big from 'big.js'
import type { Figure, PlanRevision } from '../../../../client/contract.gen.ts'
import { evaluateFormula, type Formula, FormulaError, roundUp } from './formula.ts'

// The admin area computes the quantities of a takeoff while a user edits it, so this file and formula.ts must also run
// in a browser.

/** The fields of a plan that determine quantities. */
export type BuiltRevision = Pick<
  PlanRevision,
  'squareFeet' | 'bedrooms' | 'bathrooms' | 'garageSpaces' | 'stories' | 'figures' | 'elevations'
>

export type TakeoffFigures = ReadonlyMap<string, number>

/**
 * Returns the figures for formulas: the fields and additional figures of the plan, and the values that the elevation
 * overrides.
 */
export function listFigures(built: BuiltRevision, elevation: string | null): TakeoffFigures {
  const own = (['squareFeet', 'bedrooms', 'bathrooms', 'garageSpaces', 'stories'] as const).flatMap((name) => {
    const value = built[name]
    return value === null ? [] : [{ name, value }]
  })
  const chosen = built.elevations.find(({ code }) => code === elevation)
  return new Map([...own, ...built.figures, ...(chosen?.figures ?? [])].map(({ name, value }: Figure) => [name, value]))
}

const MAX_QUANTITY = new Big('9999999999.9999')

/** Throws FormulaError if the result of a formula is larger than any quantity. */
export function assertQuantity(value: Big): void {
  if (value.abs().gt(MAX_QUANTITY)) throw new FormulaError(`has a result above ${MAX_QUANTITY}`)
}

/** Units that are sold only in whole quantities. */
const WHOLE_UNITS: ReadonlySet<string> = new Set(['EA', 'SHT', 'RL', 'BX', 'BG'])

export interface LineQuantity {
  /** The quantity without waste, rounded to four decimals. */
  net: number
  /** The quantity to buy, including waste, rounded up for whole units. */
  quantity: number
}

/**
 * Returns the quantity of a line, multiplied by `times`. The caller parses the formula, so that it is parsed only once
 * for many homes.
 */
export function computeQuantity(
  line: { quantity: number | null; wastePercent: number },
  formula: Formula | null,
  unit: string,
  figures: TakeoffFigures,
  times = 1,
): LineQuantity {
  const net = (formula === null ? new Big(line.quantity ?? 0) : evaluateFormula(formula, figures)).times(times)
  const withWaste = net.times(new Big(100).plus(line.wastePercent)).div(100)
  const rounded = WHOLE_UNITS.has(unit.toUpperCase())
    ? // One third of three must be exactly one. The remainder of the division must not round it up to two.
      roundUp(withWaste.round(6, Big.roundHalfUp))
    : withWaste.round(2, Big.roundHalfUp)
  return { net: net.round(4, Big.roundHalfUp).toNumber(), quantity: rounded.toNumber() }
}
