import type { FieldError, Plan, TakeoffLine, TakeoffLineInput } from '../../../client/contract.gen.ts'
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

/** The columns that users edit, in the order in which cells are pasted. */
export const TAKEOFF_COLUMNS = [
  { name: 'part', head: 'Part (SKU)' },
  { name: 'elevation', head: 'Elevation' },
  { name: 'amount', head: 'Quantity or formula' },
  { name: 'waste', head: 'Waste %' },
  { name: 'costCode', head: 'Cost code' },
  { name: 'task', head: 'Task' },
  { name: 'line', head: 'Line ID' },
] as const

export type TakeoffColumn = (typeof TAKEOFF_COLUMNS)[number]['name']
export type TakeoffCells = Readonly<Partial<Record<TakeoffColumn, string>>>

/** One row of the grid: the texts of its cells, as the user typed them. */
export interface TakeoffRow {
  readonly key: string
  readonly cells: TakeoffCells
}

/** A part, as far as the grid needs it. */
export interface GridPart {
  readonly id: string
  readonly sku: string
  readonly name: string
  readonly unit: string
}

/** What the texts of the cells refer to. */
export interface TakeoffContext {
  readonly plan: Plan
  /** The elevation for which quantities are shown. */
  readonly elevation: string | null
  /** The parts by their SKU in lower case. Null marks a SKU that does not exist. */
  readonly parts: ReadonlyMap<string, GridPart | null>
  /** The IDs of the cost codes by their code in lower case. */
  readonly costCodes: ReadonlyMap<string, string>
}

/** The meaning of a row: its part, its quantity for the shown elevation, and the errors of its cells. */
export interface TakeoffRowResult {
  readonly part: GridPart | null
  /** Null if the line does not apply to the shown elevation, or its quantity cannot be computed. */
  readonly quantity: LineQuantity | null
  readonly errors: Readonly<Partial<Record<TakeoffColumn, string>>>
}

export function isEmptyRow({ cells }: TakeoffRow): boolean {
  return TAKEOFF_COLUMNS.every(({ name }) => (cells[name] ?? '').trim() === '')
}

export function toTakeoffRows(
  lines: readonly TakeoffLine[],
  parts: ReadonlyMap<string, GridPart>,
  codes: ReadonlyMap<string, string>,
): TakeoffRow[] {
  return lines.map((line, at) => ({
    key: `line-${at}`,
    cells: {
      part: parts.get(line.partId)?.sku ?? line.partId,
      elevation: line.elevation ?? '',
      amount: line.formula ?? formatTypedNumber(line.quantity ?? 0),
      waste: line.wastePercent === 0 ? '' : formatTypedNumber(line.wastePercent),
      costCode: line.costCodeId === null ? '' : (codes.get(line.costCodeId) ?? line.costCodeId),
      task: line.taskName ?? '',
      line: line.lineId,
    },
  }))
}

/** Returns the quantity of a row and the errors that can be found without the service. */
export function readTakeoffRow({ cells }: TakeoffRow, context: TakeoffContext): TakeoffRowResult {
  const { plan, parts, costCodes } = context
  const errors: Partial<Record<TakeoffColumn, string>> = {}
  const text = (name: TakeoffColumn) => (cells[name] ?? '').trim()
  const sku = text('part')
  const part = parts.get(sku.toLowerCase())
  if (sku === '') errors.part = 'is required'
  else if (part === null) errors.part = 'is not a known SKU'
  const elevation = text('elevation') === '' ? null : text('elevation')
  const codes = plan.elevations.map(({ code }) => code)
  if (elevation !== null && !codes.includes(elevation))
    errors.elevation = codes.length === 0 ? 'must be empty' : `must be one of ${codes.join(', ')}`
  const code = text('costCode')
  if (code !== '' && !costCodes.has(code.toLowerCase()) && ![...costCodes.values()].includes(code))
    errors.costCode = 'is not a known cost code'
  const waste = parseTypedNumber(text('waste').replace(/%$/, ''), { isNegativeAllowed: false })
  if (waste.error !== null) errors.waste = describeTypedNumberError(waste.error)
  else if ((waste.value ?? 0) > MAX_PERCENT) errors.waste = `must not exceed ${MAX_PERCENT}`
  const amount = readAmount(text('amount'))
  if ('error' in amount) return { part: part ?? null, quantity: null, errors: { ...errors, amount: amount.error } }
  const wastePercent = waste.value ?? 0
  const applying = elevation === null ? (codes.length === 0 ? [null] : codes) : [elevation]
  const error = amount.formula === null ? null : findFormulaError(amount.formula, plan, applying)
  if (error !== null) return { part: part ?? null, quantity: null, errors: { ...errors, amount: error } }
  const isShown = elevation === null || elevation === context.elevation
  const quantity =
    !isShown || part === undefined || part === null
      ? null
      : tryComputing(amount, wastePercent, part.unit, listFigures(plan, context.elevation))
  return { part: part ?? null, quantity, errors }
}

const MAX_PERCENT = 100

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

function findFormulaError(formula: Formula, plan: Plan, elevations: readonly (string | null)[]): string | null {
  try {
    for (const code of elevations) assertQuantity(evaluateFormula(formula, listFigures(plan, code)))
    return null
  } catch (error) {
    if (error instanceof FormulaError) return error.message
    throw error
  }
}

/** Returns null if the formula needs a figure that only elevations have, and no elevation is shown. */
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
export function toTakeoffLine({ cells }: TakeoffRow, context: TakeoffContext): TakeoffLineInput {
  const text = (name: TakeoffColumn) => (cells[name] ?? '').trim()
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

const COLUMN_OF_FIELD: Readonly<Record<string, TakeoffColumn>> = {
  partId: 'part',
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

/** Returns the rows with the cells filled in from a place, and with further rows as needed. */
export function fillRows(
  rows: readonly TakeoffRow[],
  cells: readonly (readonly string[])[],
  place: { key: string; column: TakeoffColumn },
  createRow: () => TakeoffRow,
): TakeoffRow[] {
  const filled = [...rows]
  const first = rows.findIndex(({ key }) => key === place.key)
  const column = TAKEOFF_COLUMNS.findIndex(({ name }) => name === place.column)
  for (const [i, texts] of cells.entries()) {
    const row = filled[first + i] ?? createRow()
    const values = texts.flatMap((text, j) => {
      const name = TAKEOFF_COLUMNS[column + j]?.name
      return name === undefined ? [] : [[name, text] as const]
    })
    filled[first + i] = { ...row, cells: { ...row.cells, ...Object.fromEntries(values) } }
  }
  return filled
}
