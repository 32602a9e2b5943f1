import type {
  FieldError,
  OptionTakeoffLine,
  OptionTakeoffLineInput,
  Plan,
  TakeoffLine,
  TakeoffLineInput,
} from '../../../client/contract.gen.ts'
import {
  evaluateFormula,
  type Formula,
  FormulaError,
  parseFormula,
} from '../../../server/domain/costs/takeoffs/formula.ts'
import {
  assertQuantity,
  computeQuantity,
  type LineQuantity,
  listFigures,
  type TakeoffFigures,
} from '../../../server/domain/costs/takeoffs/line-quantity.ts'
import {
  describeTypedNumberError,
  formatTypedNumber,
  parseTypedNumber,
} from '../../../server/platform/values/typed-number.ts'
import { createCellAccess, readCell, type SheetCells, type SheetColumn, type SheetRow } from '../../ui/sheet-rows.ts'
import type { GridPart } from './known-parts.ts'

const COLUMNS = [
  { name: 'part', head: 'Part (SKU)', suggests: true },
  { name: 'plan', head: 'Plan', placeholder: 'all', suggests: true },
  { name: 'elevation', head: 'Elevation', placeholder: 'all', suggests: true },
  { name: 'amount', head: 'Quantity or formula', look: 'code' },
  { name: 'waste', head: 'Waste %', look: 'number' },
  { name: 'costCode', head: 'Cost code', suggests: true },
  { name: 'task', head: 'Task' },
  { name: 'line', head: 'Line ID' },
] as const satisfies readonly SheetColumn[]

export type TakeoffColumn = (typeof COLUMNS)[number]['name']
/** The columns that users edit, in the order in which cells are pasted. */
export type TakeoffColumns = readonly SheetColumn<TakeoffColumn>[]
export type TakeoffCells = SheetCells<TakeoffColumn>
export type TakeoffRow = SheetRow<TakeoffColumn>

export const OPTION_COLUMNS: TakeoffColumns = COLUMNS
export const PLAN_COLUMNS: TakeoffColumns = COLUMNS.filter(({ name }) => name !== 'plan')
export const TAKEOFF_CELLS = createCellAccess<TakeoffColumn>(COLUMNS)

/** The figures of one plan with one elevation. The elevation is null if the plan has no elevations. */
export interface FigureSet {
  readonly plan: Plan
  readonly elevation: string | null
  readonly figures: TakeoffFigures
}

/** What the texts of the cells refer to. */
export interface TakeoffContext {
  /** The plan of the takeoff. Null for the takeoff of an option, whose lines can each name a plan. */
  readonly ownPlan: Plan | null
  /** The plans for whose homes the lines can be used. */
  readonly plans: readonly Plan[]
  readonly sets: readonly FigureSet[]
  /** The set for which quantities are shown. Null if there are no plans. */
  readonly shown: FigureSet | null
  /** The parts by their SKU in lower case. Null marks a SKU that does not exist. */
  readonly parts: ReadonlyMap<string, GridPart | null>
  /** The IDs of the cost codes by their code in lower case. */
  readonly costCodes: ReadonlyMap<string, string>
}

/** The meaning of a row: its part, its quantity for the shown plan and elevation, and the errors of its cells. */
export interface TakeoffRowResult {
  readonly part: GridPart | null
  /** Null if the line does not apply to the shown plan and elevation, or its quantity cannot be computed. */
  readonly quantity: LineQuantity | null
  readonly errors: Readonly<Partial<Record<TakeoffColumn, string>>>
}

export function listFigureSets(plans: readonly Plan[]): FigureSet[] {
  return plans.flatMap((plan) =>
    (plan.elevations.length === 0 ? [null] : plan.elevations.map(({ code }) => code)).map((elevation) => ({
      ...{ plan, elevation, figures: listFigures(plan, elevation) },
    })),
  )
}

export function isEmptyRow(row: TakeoffRow): boolean {
  return TAKEOFF_CELLS.isEmpty(row)
}

/** Returns the rows of stored lines. A row keeps its key while other lines are added or removed. */
export function toTakeoffRows(
  lines: readonly (TakeoffLine | OptionTakeoffLine)[],
  { parts, costCodes, plans }: Readonly<Record<'parts' | 'costCodes' | 'plans', ReadonlyMap<string, string>>>,
): TakeoffRow[] {
  return lines.map((line) => {
    const planId = 'planId' in line ? line.planId : null
    return {
      key: JSON.stringify([planId, line.elevation, line.lineId]),
      cells: {
        part: parts.get(line.partId) ?? line.partId,
        ...(planId !== null && { plan: plans.get(planId) ?? planId }),
        elevation: line.elevation ?? '',
        amount: line.formula ?? formatTypedNumber(line.quantity ?? 0),
        waste: line.wastePercent === 0 ? '' : formatTypedNumber(line.wastePercent),
        costCode: line.costCodeId === null ? '' : (costCodes.get(line.costCodeId) ?? line.costCodeId),
        task: line.taskName ?? '',
        line: line.lineId,
      },
    }
  })
}

/** Returns the quantity of a row and the errors that can be found without the service. */
export function readTakeoffRow(row: TakeoffRow, context: TakeoffContext): TakeoffRowResult {
  const { ownPlan, sets, shown, parts, costCodes } = context
  const errors: Partial<Record<TakeoffColumn, string>> = {}
  const text = (name: TakeoffColumn) => readCell(row, name)
  const sku = text('part')
  const part = parts.get(sku.toLowerCase())
  if (sku === '') errors.part = 'is required'
  else if (part === null) errors.part = 'is not a known SKU'
  const plan = text('plan') === '' ? ownPlan : findPlan(text('plan'), context)
  if (plan === undefined) errors.plan = 'must be the code of a plan that can have the option'
  const elevation = text('elevation') === '' ? null : text('elevation')
  if (elevation !== null && plan !== undefined) {
    const codes = plan?.elevations.map(({ code }) => code) ?? []
    if (plan === null) errors.elevation = 'requires a plan'
    else if (!codes.includes(elevation))
      errors.elevation = codes.length === 0 ? 'must be empty' : `must be one of ${codes.join(', ')}`
  }
  const code = text('costCode')
  if (code !== '' && !costCodes.has(code.toLowerCase()) && ![...costCodes.values()].includes(code))
    errors.costCode = 'is not a known cost code'
  const waste = parseTypedNumber(text('waste').replace(/%$/, ''), { isNegativeAllowed: false })
  if (waste.error !== null) errors.waste = describeTypedNumberError(waste.error)
  else if ((waste.value ?? 0) > MAX_PERCENT) errors.waste = `must not exceed ${MAX_PERCENT}`
  const amount = readAmount(text('amount'))
  if ('error' in amount) return { part: part ?? null, quantity: null, errors: { ...errors, amount: amount.error } }
  const wastePercent = waste.value ?? 0
  const applies = (set: FigureSet) =>
    (plan === null || plan?.id === set.plan.id) && (elevation === null || elevation === set.elevation)
  const applying = sets.filter(applies)
  // A line with an unknown elevation is checked with the figures of its plan.
  if (applying.length === 0 && plan !== null && plan !== undefined)
    applying.push({ plan, elevation: null, figures: listFigures(plan, null) })
  const error = amount.formula === null ? null : findFormulaError(amount.formula, applying, ownPlan)
  if (error !== null) return { part: part ?? null, quantity: null, errors: { ...errors, amount: error } }
  const isShown = shown === null || applies(shown)
  const quantity =
    !isShown || part === undefined || part === null
      ? null
      : tryComputing(amount, wastePercent, part.unit, shown?.figures ?? NO_FIGURES)
  return { part: part ?? null, quantity, errors }
}

const MAX_PERCENT = 100
const NO_FIGURES: TakeoffFigures = new Map()

function findPlan(text: string, { plans }: TakeoffContext): Plan | undefined {
  return plans.find(({ id, code }) => code.toLowerCase() === text.toLowerCase() || id === text)
}

type Amount = { quantity: number | null; formula: Formula | null } | { error: string }

/** Reads a quantity, or a formula. A text such as `1.250` that could mean two quantities is an error. */
function readAmount(text: string): Amount {
  if (text === '') return { error: 'needs a quantity or a formula' }
  const typed = parseTypedNumber(text)
  if (typed.error === null) return { quantity: typed.value, formula: null }
  if (/^[\d.,\s]+$/.test(text)) return { error: describeTypedNumberError(typed.error) }
  try {
    return { quantity: null, formula: parseFormula(text) }
  } catch (error) {
    if (error instanceof FormulaError) return { error: error.message }
    throw error
  }
}

/**
 * The maximum number of sets with which a formula is checked while the user types. More would make typing slow. The
 * service checks the formula with all sets.
 */
const MAX_CHECKED_SETS = 100

function findFormulaError(formula: Formula, sets: readonly FigureSet[], ownPlan: Plan | null): string | null {
  for (const { plan, elevation, figures } of sets.slice(0, MAX_CHECKED_SETS)) {
    try {
      assertQuantity(evaluateFormula(formula, figures))
    } catch (error) {
      if (!(error instanceof FormulaError)) throw error
      const place = elevation === null ? plan.code : `${plan.code} ${elevation}`
      return ownPlan === null ? `${error.message} (on ${place})` : error.message
    }
  }
  return null
}

/** Returns null if the formula uses a figure that the shown plan does not have. */
function tryComputing(
  { quantity, formula }: { quantity: number | null; formula: Formula | null },
  wastePercent: number,
  unit: string,
  figures: TakeoffFigures,
): LineQuantity | null {
  try {
    return computeQuantity({ quantity, wastePercent }, formula, unit, figures)
  } catch (error) {
    if (error instanceof FormulaError) return null
    throw error
  }
}

/** Returns the line to send. Only rows without errors have a line. */
export function toTakeoffLine(row: TakeoffRow, context: TakeoffContext): TakeoffLineInput {
  const text = (name: TakeoffColumn) => readCell(row, name)
  const amount = readAmount(text('amount'))
  const code = text('costCode')
  return {
    partId: context.parts.get(text('part').toLowerCase())?.id ?? text('part'),
    elevation: text('elevation') === '' ? null : text('elevation'),
    ...('error' in amount || amount.formula !== null ? { formula: text('amount') } : { quantity: amount.quantity }),
    wastePercent: parseTypedNumber(text('waste').replace(/%$/, '')).value ?? 0,
    costCodeId: code === '' ? null : (context.costCodes.get(code.toLowerCase()) ?? code),
    taskName: text('task') === '' ? null : text('task'),
    ...(text('line') !== '' && { lineId: text('line') }),
  }
}

/** Returns the line of an option's takeoff to send. Only rows without errors have a line. */
export function toOptionTakeoffLine(row: TakeoffRow, context: TakeoffContext): OptionTakeoffLineInput {
  const code = readCell(row, 'plan')
  return { ...toTakeoffLine(row, context), planId: code === '' ? null : (findPlan(code, context)?.id ?? code) }
}

const COLUMN_OF_FIELD: Readonly<Record<string, TakeoffColumn>> = {
  partId: 'part',
  planId: 'plan',
  elevation: 'elevation',
  wastePercent: 'waste',
  costCodeId: 'costCode',
  taskName: 'task',
  lineId: 'line',
}

/** Returns the row and the column to which an error of the service points; null if it points elsewhere. */
export function findErrorCell({ pointer }: FieldError): { at: number; column: TakeoffColumn } | null {
  const [, at, field = ''] = /^\/lines\/(\d+)(?:\/(\w+))?/.exec(pointer ?? '') ?? []
  return at === undefined ? null : { at: Number(at), column: COLUMN_OF_FIELD[field] ?? 'amount' }
}
