import type { ResolvedTakeoffLine } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import { ChoiceFault, type Chosen, type ChosenLines, layered } from './chosen.ts'
import { parseFormula } from './formula.ts'
import { FormulaWork } from './formula-work.ts'
import * as optionTakeoffs from './option-queries.ts'
import { mostSpecific } from './option-takeoff.ts'
import type { LineWithPart } from './queries.ts'
import * as takeoffs from './queries.ts'
import { type Built, type Figures, figuresOf, inherited, quantityOf } from './takeoff.ts'

/** The maximum number of lines in one response. A home has about two thousand. */
const MOST_LINES = 20_000

/** The lines of a home: those of its plan and elevation, and the effects of the selected options. */
export interface HouseLines {
  readonly base: readonly ResolvedTakeoffLine[]
  readonly options: readonly ChosenLines[]
}

/** Computes the lines of a home in two statements, however many options were selected. Throws `too_much_work`. */
export async function houseLines(
  call: Tenant,
  { planId, revision, elevation }: { planId: string; revision: number; elevation: string | null },
  built: Built,
  chosen: readonly Chosen[],
): Promise<HouseLines> {
  const figures = figuresOf(built, elevation)
  const work = new FormulaWork()
  const ofPlan = await takeoffs.linesWithParts(call, planId, revision, elevation)
  const base: ResolvedTakeoffLine[] = []
  for (const { line, source, replaces } of inherited(ofPlan, elevation))
    base.push({ ...(await computed(line, 1, figures, work)), source, replaces, optionId: null })
  if (chosen.length === 0) return { base, options: [] }
  const ids = chosen.map(({ id }) => id)
  const ofOptions = await optionTakeoffs.linesWithParts(call, ids, { planId, elevation, limit: MOST_LINES })
  if (base.length + ofOptions.length > MOST_LINES)
    throw new ChoiceFault(
      `The takeoff exceeds ${formatNumber(MOST_LINES)} lines.`,
      `must not make the takeoff exceed ${formatNumber(MOST_LINES)} lines`,
    )
  const byOption = Map.groupBy(ofOptions, ({ optionId }) => optionId)
  const options: { option: Chosen; lines: ResolvedTakeoffLine[] }[] = []
  for (const option of chosen) {
    const lines: ResolvedTakeoffLine[] = []
    for (const line of mostSpecific(byOption.get(option.id) ?? [])) {
      const values = await computed(line, option.quantity, figures, work)
      lines.push({ ...values, source: 'option', replaces: null, optionId: option.id })
    }
    options.push({ option, lines })
  }
  return { base, options: layered(base, options) }
}

/** Returns all lines to buy for the home. */
export function boughtLines({ base, options }: HouseLines): ResolvedTakeoffLine[] {
  const takenOut = new Set(options.flatMap((each) => each.takenOut))
  return [...base, ...options.flatMap(({ own }) => own)].filter((line) => !takenOut.has(line))
}

async function computed(line: LineWithPart, times: number, figures: Figures, work: FormulaWork) {
  const { lineId, partId, sku, name, unit, scope, formula, wastePercent, taskName } = line
  await work.take(formula ?? '0')
  const { net, quantity } = quantityOf(line, formula === null ? null : parseFormula(formula), unit, figures, times)
  return {
    ...{ lineId, source: 'plan' as const, optionId: null, replaces: null, partId, sku, name, unit, scope },
    costCodeId: line.costCodeId ?? line.partCostCodeId,
    ...{ formula, net, wastePercent, quantity, taskName },
  }
}
