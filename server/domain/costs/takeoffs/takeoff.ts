import type { Elevation, FieldError, TakeoffLine } from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { evaluateFormula, FormulaError, parseFormula } from './formula.ts'
import { FormulaWorkLimit } from './formula-work-limit.ts'
import { assertQuantity, type BuiltRevision, listFigures, type TakeoffFigures } from './line-quantity.ts'

/**
 * Returns the lines in the form in which they are stored. The ID of a line without a lineId is its position, or a
 * longer ID if another line has that ID.
 */
export function toStoredTakeoffLines(lines: readonly Checked['TakeoffLineInput'][]): TakeoffLine[] {
  const taken = new Set(lines.map(({ lineId }) => lineId))
  return lines.map((line, i) => ({
    lineId: line.lineId ?? createUniqueLineId(String(i + 1), taken),
    elevation: line.elevation ?? null,
    partId: line.partId,
    quantity: line.quantity ?? null,
    formula: line.formula ?? null,
    wastePercent: line.wastePercent,
    costCodeId: line.costCodeId ?? null,
    taskName: line.taskName ?? null,
  }))
}

/** Returns the requested ID or, if it is already in use, a longer ID. */
export function createUniqueLineId(requested: string, taken: ReadonlySet<string | undefined>): string {
  let name = requested
  while (taken.has(name)) name += 'a'
  return name
}

/** Returns all errors in the lines of a plan. Throws `too_much_work` if the formulas exceed the work limit. */
export async function findTakeoffLineErrors(
  lines: readonly TakeoffLine[],
  built: BuiltRevision,
): Promise<FieldError[]> {
  const seen = new Set<string>()
  const figures = new Map(built.elevations.map(({ code }) => [code, listFigures(built, code)]))
  const ofPlan = built.elevations.length === 0 ? [listFigures(built, null)] : [...figures.values()]
  const work = new FormulaWorkLimit()
  const errors: FieldError[] = []
  for (const [i, line] of lines.entries()) {
    const fault = (field: string, code: string, message: string) =>
      errors.push({ pointer: `/lines/${i}${field}`, code, message })
    const name = JSON.stringify([line.elevation, line.lineId])
    if (seen.has(name)) fault('/lineId', 'unique', 'must be unique; another line has the same lineId')
    seen.add(name)
    if ((line.quantity === null) === (line.formula === null))
      fault('', 'quantity', 'must have either a quantity or a formula')
    const own = line.elevation === null ? ofPlan : [figures.get(line.elevation)].filter((one) => one !== undefined)
    if (own.length === 0) fault('/elevation', 'elevation', formatElevations(built.elevations))
    const wrong = line.formula === null ? null : await findFormulaError(line.formula, own, work)
    if (wrong !== null) fault('/formula', 'formula', wrong)
  }
  return errors
}

function formatElevations(elevations: readonly Elevation[]): string {
  if (elevations.length === 0) return 'must be omitted; the plan has no elevations'
  return `must be one of ${elevations.map(({ code }) => code).join(', ')}`
}

/**
 * Returns the error in a formula; null if there is none. The formula must be computable for every plan and elevation to
 * which it applies. Throws `too_much_work` if the formulas exceed the work limit.
 */
export async function findFormulaError(
  text: string,
  sets: readonly TakeoffFigures[],
  work: FormulaWorkLimit,
): Promise<string | null> {
  try {
    await work.take(text)
    const formula = parseFormula(text)
    for (const figures of sets) {
      await work.take(text)
      assertQuantity(evaluateFormula(formula, figures))
    }
    return null
  } catch (error) {
    if (error instanceof FormulaError) return error.message
    throw error
  }
}

export interface SourcedLine<Line> {
  line: Line
  source: 'plan' | 'elevation'
  replaces: 'plan' | null
}

/**
 * Returns the lines of one home, which are the lines of its plan and its elevation. A line of the elevation replaces
 * the plan's line with the same lineId.
 */
export function mergeLines<Line extends Pick<TakeoffLine, 'lineId' | 'elevation'>>(
  lines: readonly Line[],
  elevation: string | null,
): SourcedLine<Line>[] {
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
