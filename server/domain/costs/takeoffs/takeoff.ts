import Big from 'big.js'
import type { Elevation, FieldError, Figure, PlanRevision, TakeoffLine } from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { ceiling, type Formula, FormulaFault, parseFormula, reckon } from './formula.ts'
import { FormulaWork } from './formula-work.ts'

/** The fields of a plan that quantities depend on. */
export type Built = Pick<
  PlanRevision,
  'squareFeet' | 'bedrooms' | 'bathrooms' | 'garageSpaces' | 'stories' | 'figures' | 'elevations'
>

export type Figures = ReadonlyMap<string, number>

/** Returns the figures for formulas: the plan's own fields, its additional figures, and the elevation's overrides. */
export function figuresOf(built: Built, elevation: string | null): Figures {
  const own = (['squareFeet', 'bedrooms', 'bathrooms', 'garageSpaces', 'stories'] as const).flatMap((name) => {
    const value = built[name]
    return value === null ? [] : [{ name, value }]
  })
  const chosen = built.elevations.find(({ code }) => code === elevation)
  return new Map([...own, ...built.figures, ...(chosen?.figures ?? [])].map(({ name, value }: Figure) => [name, value]))
}

/**
 * Returns the lines as stored. A line without a lineId is named after its position, unless another line has that name.
 */
export function wholeLines(lines: readonly Checked['TakeoffLineInput'][]): TakeoffLine[] {
  const taken = new Set(lines.map(({ lineId }) => lineId))
  return lines.map((line, i) => ({
    lineId: line.lineId ?? freeName(String(i + 1), taken),
    elevation: line.elevation ?? null,
    partId: line.partId,
    quantity: line.quantity ?? null,
    formula: line.formula ?? null,
    wastePercent: line.wastePercent,
    costCodeId: line.costCodeId ?? null,
    taskName: line.taskName ?? null,
  }))
}

/** Returns the name, or a longer one that is not taken. */
export function freeName(wanted: string, taken: ReadonlySet<string | undefined>): string {
  let name = wanted
  while (taken.has(name)) name += 'a'
  return name
}

/** Returns an error for everything that is wrong with the lines of a plan. Throws `too_much_work`. */
export async function faultsOf(lines: readonly TakeoffLine[], built: Built): Promise<FieldError[]> {
  const seen = new Set<string>()
  const figures = new Map(built.elevations.map(({ code }) => [code, figuresOf(built, code)]))
  const ofPlan = built.elevations.length === 0 ? [figuresOf(built, null)] : [...figures.values()]
  const work = new FormulaWork()
  const faults: FieldError[] = []
  for (const [i, line] of lines.entries()) {
    const fault = (field: string, code: string, message: string) =>
      faults.push({ pointer: `/lines/${i}${field}`, code, message })
    const name = JSON.stringify([line.elevation, line.lineId])
    if (seen.has(name)) fault('/lineId', 'unique', 'must be unique; another line has the same lineId')
    seen.add(name)
    if ((line.quantity === null) === (line.formula === null))
      fault('', 'quantity', 'must have either a quantity or a formula')
    const own = line.elevation === null ? ofPlan : [figures.get(line.elevation)].filter((one) => one !== undefined)
    if (own.length === 0) fault('/elevation', 'elevation', elevationWords(built.elevations))
    const wrong = line.formula === null ? null : await formulaFault(line.formula, own, work)
    if (wrong !== null) fault('/formula', 'formula', wrong)
  }
  return faults
}

function elevationWords(elevations: readonly Elevation[]): string {
  if (elevations.length === 0) return 'must be omitted; the plan has no elevations'
  return `must be one of ${elevations.map(({ code }) => code).join(', ')}`
}

/**
 * Returns what is wrong with a formula, which must be computable for every plan and elevation that it applies to; null
 * if nothing is. Throws `too_much_work`.
 */
export async function formulaFault(text: string, sets: readonly Figures[], work: FormulaWork): Promise<string | null> {
  try {
    await work.take(text)
    const formula = parseFormula(text)
    for (const figures of sets) {
      await work.take(text)
      assertQuantity(reckon(formula, figures))
    }
    return null
  } catch (error) {
    if (error instanceof FormulaFault) return error.message
    throw error
  }
}

const MOST_QUANTITY = new Big('9999999999.9999')

function assertQuantity(value: Big): void {
  if (value.abs().gt(MOST_QUANTITY)) throw new FormulaFault(`has a result above ${MOST_QUANTITY}`)
}

/** Units that are sold only in whole numbers. */
const WHOLE_UNITS: ReadonlySet<string> = new Set(['EA', 'SHT', 'RL', 'BX', 'BG'])

export interface Quantity {
  /** Quantity without waste, to four decimals. */
  net: number
  /** Quantity to buy, with waste and rounded up for whole units. */
  quantity: number
}

/**
 * Returns the quantity of a line, multiplied by the number of units. `formula` is passed parsed, so that it is parsed
 * once for many homes.
 */
export function quantityOf(
  line: { quantity: number | null; wastePercent: number },
  formula: Formula | null,
  unit: string,
  figures: Figures,
  times = 1,
): Quantity {
  const net = (formula === null ? new Big(line.quantity ?? 0) : reckon(formula, figures)).times(times)
  const withWaste = net.times(new Big(100).plus(line.wastePercent)).div(100)
  const rounded = WHOLE_UNITS.has(unit.toUpperCase())
    ? // A third of three is one, not two because of a remainder of the division.
      ceiling(withWaste.round(6, Big.roundHalfUp))
    : withWaste.round(2, Big.roundHalfUp)
  return { net: net.round(4, Big.roundHalfUp).toNumber(), quantity: rounded.toNumber() }
}

export interface Sourced<Line> {
  line: Line
  source: 'plan' | 'elevation'
  replaces: 'plan' | null
}

/**
 * Returns the lines of one home: the plan's and the elevation's. The elevation's lines override the plan's lines with
 * the same lineId.
 */
export function inherited<Line extends Pick<TakeoffLine, 'lineId' | 'elevation'>>(
  lines: readonly Line[],
  elevation: string | null,
): Sourced<Line>[] {
  const ofElevation = lines.filter((line) => line.elevation !== null && line.elevation === elevation)
  const replaced = new Set(ofElevation.map(({ lineId }) => lineId))
  const ofPlan = lines.filter((line) => line.elevation === null)
  const known = new Set(ofPlan.map(({ lineId }) => lineId))
  return [
    ...ofPlan
      .filter(({ lineId }) => !replaced.has(lineId))
      .map((line) => ({ line, source: 'plan' as const, replaces: null })),
    ...ofElevation.map((line) => ({
      line,
      source: 'elevation' as const,
      replaces: known.has(line.lineId) ? ('plan' as const) : null,
    })),
  ]
}
