import type { ResolvedTakeoffLine } from '../../../client/contract.gen.ts'
import type { Tenant } from '../../http/call.ts'
import { parseFormula } from './formula.ts'
import * as takeoffs from './queries.ts'
import { type Built, figuresOf, inherited, quantityOf } from './takeoff.ts'

/** What a house takes, line by line. */
export async function resolvedLines(
  call: Tenant,
  { planId, revision, elevation }: { planId: string; revision: number; elevation: string | null },
  built: Built,
): Promise<ResolvedTakeoffLine[]> {
  const figures = figuresOf(built, elevation)
  const lines = await takeoffs.linesWithParts(call, planId, revision, elevation)
  return inherited(lines, elevation).map(({ line, source, replaces }) => {
    const { lineId, partId, sku, name, unit, scope, formula, wastePercent, taskName } = line
    const { net, quantity } = quantityOf(line, formula === null ? null : parseFormula(formula), unit, figures)
    return {
      ...{ lineId, source, replaces, partId, sku, name, unit, scope },
      costCodeId: line.costCodeId ?? line.partCostCodeId,
      ...{ formula, net, wastePercent, quantity, taskName },
    }
  })
}
