import type { FieldError, Option, OptionTakeoffLine, Plan } from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { findElevationError } from '../../land/plans/plan.ts'
import { FormulaWorkLimit } from './formula-work-limit.ts'
import { listFigures, type TakeoffFigures } from './line-quantity.ts'
import { createUniqueLineId, findFormulaError } from './takeoff.ts'

/**
 * The maximum number of computations for checking the formulas of one takeoff, which take about one second. Each
 * distinct formula is computed with the figures of each plan and elevation.
 */
const MAX_CHECKS = 100_000

/**
 * Returns the lines in the form in which they are stored. The ID of a line without a lineId consists of the option's
 * code and the position of the line, so that the line does not replace a line of the plan by accident.
 */
export function toStoredOptionLines(
  lines: readonly Checked['OptionTakeoffLineInput'][],
  { code }: Pick<Option, 'code'>,
): OptionTakeoffLine[] {
  const taken = new Set(lines.map(({ lineId }) => lineId))
  return lines.map((line, i) => ({
    lineId: line.lineId ?? createUniqueLineId(`${code}-${i + 1}`, taken),
    elevation: line.elevation ?? null,
    partId: line.partId,
    quantity: line.quantity ?? null,
    formula: line.formula ?? null,
    wastePercent: line.wastePercent,
    costCodeId: line.costCodeId ?? null,
    taskName: line.taskName ?? null,
    planId: line.planId ?? null,
  }))
}

/**
 * Returns all errors in the lines of an option when it is used with these plans. Throws `too_much_work` if the formulas
 * exceed the work limit.
 */
export async function findOptionLineErrors(
  lines: readonly OptionTakeoffLine[],
  plans: readonly Plan[],
): Promise<FieldError[]> {
  const byId = new Map(plans.map((plan) => [plan.id, plan]))
  const checked = new FormulaChecker(plans)
  const seen = new Set<string>()
  const errors: FieldError[] = []
  for (const [i, line] of lines.entries()) {
    const before = errors.length
    const fault = (field: string, code: string, message: string) =>
      errors.push({ pointer: `/lines/${i}${field}`, code, message })
    const name = JSON.stringify([line.planId, line.elevation, line.lineId])
    if (seen.has(name)) fault('/lineId', 'unique', 'must be unique; another line has the same lineId')
    seen.add(name)
    if ((line.quantity === null) === (line.formula === null))
      fault('', 'quantity', 'must have either a quantity or a formula')
    const plan = byId.get(line.planId ?? '')
    if (line.planId !== null && plan === undefined)
      fault('/planId', 'plan', 'must be a plan that the option is available for')
    if (line.planId === null && line.elevation !== null) fault('/elevation', 'plan', 'requires planId')
    const elevation =
      plan === undefined || line.elevation === null ? null : findElevationError(plan.elevations, line.elevation)
    if (elevation !== null) fault('/elevation', 'elevation', elevation)
    const isSound = errors.length === before
    const wrong = isSound && line.formula !== null ? await checked.faultOf(line.formula, line) : null
    if (wrong !== null) fault('/formula', 'formula', wrong)
  }
  return errors
}

/** Checks each distinct formula once for each plan and elevation to which it applies. */
class FormulaChecker {
  readonly #sets: { planId: string; elevation: string | null; code: string; figures: TakeoffFigures }[]
  readonly #known = new Map<string, string | null>()
  readonly #work = new FormulaWorkLimit()
  #left = MAX_CHECKS

  constructor(plans: readonly Plan[]) {
    this.#sets = plans.flatMap((plan) =>
      (plan.elevations.length === 0 ? [null] : plan.elevations.map(({ code }) => code)).map((elevation) => ({
        ...{ planId: plan.id, elevation, code: elevation === null ? plan.code : `${plan.code} ${elevation}` },
        figures: listFigures(plan, elevation),
      })),
    )
  }

  async faultOf(
    formula: string,
    { planId, elevation }: Pick<OptionTakeoffLine, 'planId' | 'elevation'>,
  ): Promise<string | null> {
    const key = JSON.stringify([planId, elevation, formula])
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const fault = await this.#checked(formula, planId, elevation)
    this.#known.set(key, fault)
    return fault
  }

  async #checked(formula: string, planId: string | null, elevation: string | null): Promise<string | null> {
    for (const set of this.#sets) {
      if (planId !== null && (set.planId !== planId || (elevation !== null && set.elevation !== elevation))) continue
      if (this.#left-- <= 0)
        return 'exceeds the number of formulas that can be checked for this many plans; set planId on the lines'
      const wrong = await findFormulaError(formula, [set.figures], this.#work)
      if (wrong !== null) return `${wrong} (on ${set.code})`
    }
    // If there are no plans, only the syntax can be checked.
    return this.#sets.length === 0 ? findFormulaError(formula, [], this.#work) : null
  }
}

/** For each lineId, returns the most specific line that applies to a home. */
export function selectMostSpecificLines<Line extends Pick<OptionTakeoffLine, 'lineId' | 'planId' | 'elevation'>>(
  lines: readonly Line[],
): Line[] {
  const reach = ({ planId, elevation }: Line) => (planId === null ? 0 : elevation === null ? 1 : 2)
  const chosen = new Map<string, Line>()
  for (const line of lines) {
    const other = chosen.get(line.lineId)
    if (other === undefined || reach(line) > reach(other)) chosen.set(line.lineId, line)
  }
  return [...chosen.values()]
}
