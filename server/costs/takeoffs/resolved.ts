import type { ResolvedTakeoffLine } from '../../../client/contract.gen.ts'
import type { Tenant } from '../../http/call.ts'
import { ChoiceFault, type Chosen, type ChosenLines, layered } from './chosen.ts'
import { parseFormula } from './formula.ts'
import * as optionTakeoffs from './option-queries.ts'
import { mostSpecific } from './option-takeoff.ts'
import type { LineWithPart } from './queries.ts'
import * as takeoffs from './queries.ts'
import { type Built, type Figures, figuresOf, inherited, quantityOf } from './takeoff.ts'

/** As many lines as one answer may have; a house takes two thousand. */
const MOST_LINES = 20_000

/** What a house takes: the lines of its plan and elevation, and what the chosen options make of them. */
export interface HouseLines {
  readonly base: readonly ResolvedTakeoffLine[]
  readonly options: readonly ChosenLines[]
}

/** Line by line, in two statements however many options were chosen. */
export async function houseLines(
  call: Tenant,
  { planId, revision, elevation }: { planId: string; revision: number; elevation: string | null },
  built: Built,
  chosen: readonly Chosen[],
): Promise<HouseLines> {
  const figures = figuresOf(built, elevation)
  const ofPlan = await takeoffs.linesWithParts(call, planId, revision, elevation)
  const base = inherited(ofPlan, elevation).map(({ line, source, replaces }) => ({
    ...reckoned(line, 1, figures),
    ...{ source, replaces, optionId: null },
  }))
  if (chosen.length === 0) return { base, options: [] }
  const ids = chosen.map(({ id }) => id)
  const ofOptions = await optionTakeoffs.linesWithParts(call, ids, { planId, elevation, limit: MOST_LINES })
  if (base.length + ofOptions.length > MOST_LINES)
    throw new ChoiceFault(`The house takes more than ${MOST_LINES} lines.`)
  const byOption = Map.groupBy(ofOptions, ({ optionId }) => optionId)
  const options = chosen.map((option) => ({
    option,
    lines: mostSpecific(byOption.get(option.id) ?? []).map((line) => ({
      ...reckoned(line, option.quantity, figures),
      ...{ source: 'option' as const, replaces: null, optionId: option.id },
    })),
  }))
  return { base, options: layered(base, options) }
}

/** What is bought for the house, all in all. */
export function boughtLines({ base, options }: HouseLines): ResolvedTakeoffLine[] {
  const takenOut = new Set(options.flatMap((each) => each.takenOut))
  return [...base, ...options.flatMap(({ own }) => own)].filter((line) => !takenOut.has(line))
}

function reckoned(line: LineWithPart, times: number, figures: Figures) {
  const { lineId, partId, sku, name, unit, scope, formula, wastePercent, taskName } = line
  const { net, quantity } = quantityOf(line, formula === null ? null : parseFormula(formula), unit, figures, times)
  return {
    ...{ lineId, source: 'plan' as const, optionId: null, replaces: null, partId, sku, name, unit, scope },
    costCodeId: line.costCodeId ?? line.partCostCodeId,
    ...{ formula, net, wastePercent, quantity, taskName },
  }
}
