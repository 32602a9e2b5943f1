import type { ResolvedTakeoffLine } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import { applyOptions, ChoiceError, type ChosenLines, type ChosenOption } from './chosen-options.ts'
import { parseFormula } from './formula.ts'
import { FormulaWorkLimit } from './formula-work-limit.ts'
import { type BuiltRevision, computeQuantity, listFigures, type TakeoffFigures } from './line-quantity.ts'
import * as optionTakeoffs from './option-queries.ts'
import { selectMostSpecificLines } from './option-takeoff.ts'
import type { LineWithPart } from './queries.ts'
import * as takeoffs from './queries.ts'
import { mergeLines } from './takeoff.ts'

/** The maximum number of lines in one response. A typical home has about two thousand lines. */
const MAX_LINES = 20_000

/** The lines of a home: the lines of its plan and elevation, and the effects of the selected options. */
export interface HomeLines {
  readonly base: readonly ResolvedTakeoffLine[]
  readonly options: readonly ChosenLines[]
}

/**
 * Computes the lines of a home. Executes two statements, regardless of the number of selected options. Throws
 * `too_much_work` if the formulas exceed the work limit.
 */
export async function computeHomeLines(
  call: Tenant,
  { planId, revision, elevation }: { planId: string; revision: number; elevation: string | null },
  built: BuiltRevision,
  chosen: readonly ChosenOption[],
): Promise<HomeLines> {
  const figures = listFigures(built, elevation)
  const work = new FormulaWorkLimit()
  const ofPlan = await takeoffs.listTakeoffLinesWithParts(call, planId, revision, elevation)
  const base: ResolvedTakeoffLine[] = []
  for (const { line, source, replaces } of mergeLines(ofPlan, elevation))
    base.push({ ...(await computeLine(line, 1, figures, work)), source, replaces, optionId: null })
  if (chosen.length === 0) return { base, options: [] }
  const ids = chosen.map(({ id }) => id)
  const ofOptions = await optionTakeoffs.listOptionLinesWithParts(call, ids, { planId, elevation, limit: MAX_LINES })
  if (base.length + ofOptions.length > MAX_LINES)
    throw new ChoiceError(
      `The takeoff exceeds ${formatNumber(MAX_LINES)} lines.`,
      `must not make the takeoff exceed ${formatNumber(MAX_LINES)} lines`,
    )
  const byOption = Map.groupBy(ofOptions, ({ optionId }) => optionId)
  const options: { option: ChosenOption; lines: ResolvedTakeoffLine[] }[] = []
  for (const option of chosen) {
    const lines: ResolvedTakeoffLine[] = []
    for (const line of selectMostSpecificLines(byOption.get(option.id) ?? [])) {
      const values = await computeLine(line, option.quantity, figures, work)
      lines.push({ ...values, source: 'option', replaces: null, optionId: option.id })
    }
    options.push({ option, lines })
  }
  return { base, options: applyOptions(base, options) }
}

/** Returns all lines with parts to buy for the home. */
export function listLinesToBuy({ base, options }: HomeLines): ResolvedTakeoffLine[] {
  const takenOut = new Set(options.flatMap((each) => each.takenOut))
  return [...base, ...options.flatMap(({ own }) => own)].filter((line) => !takenOut.has(line))
}

async function computeLine(line: LineWithPart, times: number, figures: TakeoffFigures, work: FormulaWorkLimit) {
  const { lineId, partId, sku, name, unit, scope, formula, wastePercent, taskName } = line
  await work.take(formula ?? '0')
  const { net, quantity } = computeQuantity(line, formula === null ? null : parseFormula(formula), unit, figures, times)
  return {
    ...{ lineId, source: 'plan' as const, optionId: null, replaces: null, partId, sku, name, unit, scope },
    costCodeId: line.costCodeId ?? line.partCostCodeId,
    ...{ formula, net, wastePercent, quantity, taskName },
  }
}
