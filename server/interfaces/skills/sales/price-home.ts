import type { Option, PriceHomeResult } from '../../../../client/contract.gen.ts'
import { type Costing, computeCosting } from '../../../domain/costs/budgets/costing.ts'
import { explainWhyOptionCannotBeSelected } from '../../../domain/costs/options/option.ts'
import * as plans from '../../../domain/land/plans/queries.ts'
import {
  computeUnitPrice,
  describeExclusion,
  listMissingRequirements,
} from '../../../domain/selling/selections/selection.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { Problem } from '../../../platform/problems/problem.ts'
import { subtract, sum, toPercentage } from '../../../platform/values/money.ts'
import { buildHomeFromPlan, type HomeFromPlan } from '../frame/home-from-plan.ts'
import { createReportFooter, getToday, selectSentences } from '../frame/report.ts'

const MAX_LISTED = 200

export async function priceHome(input: Checked['PriceHomeInput'], call: Call): Promise<PriceHomeResult> {
  const { communityId, lotPremium } = input
  const planned = await buildHomeFromPlan(call, input)
  const { plan, revision, house, selected } = planned
  const built = await plans.findRevision(call, plan.id, revision)
  const elevation = built?.elevations.find(({ code }) => code === house.elevation)
  const basePrice = built?.basePrice == null ? null : sum([built.basePrice, elevation?.price ?? 0])
  const conflicts = findConflicts(planned)
  const costs = await computeCosts(call, planned, conflicts)
  const options = selected.map(({ option }) => {
    const cost = costs?.selections.find(({ id }) => id === option.id)?.cost ?? null
    const requested = { unitPrice: null, priceBasis: 'option' as const, quantity: 1 }
    return {
      optionId: option.id,
      option: `${option.code} ${option.name}`,
      price: computeUnitPrice(requested, option, cost),
      cost,
    }
  })
  const unpriced = [...(costs?.base.unpriced ?? []), ...(costs?.selections.flatMap((each) => each.unpriced) ?? [])]
  const price = sumIfComplete([basePrice, lotPremium, ...options.map((option) => option.price)])
  const isCostKnown = costs !== null && costs.base.unpriced.length === 0
  const base = isCostKnown ? sum(costs.base.lines.map(({ amount }) => amount)) : null
  const cost = sumIfComplete([base, ...options.map((option) => option.cost)])
  const margin = price === null || cost === null ? null : subtract(price, cost)
  return {
    ...{ planId: plan.id, plan: `${plan.code} ${plan.name}`, revision, elevation: house.elevation, communityId },
    ...{ basePrice, lotPremium, options, price, cost, margin, marginPercent: toPercentage(margin, price) },
    conflicts: conflicts.slice(0, MAX_LISTED),
    unpriced: unpriced.slice(0, MAX_LISTED).map(({ optionSelectionId, sku, name, ...line }) => {
      const { lineId, partId, scope, quantity, unit, issue } = line
      return { lineId, optionId: optionSelectionId, partId, part: `${sku} ${name}`, scope, quantity, unit, issue }
    }),
    unpricedCount: unpriced.length,
    ...createReportFooter(call, {
      unknown: selectSentences(
        basePrice === null && 'The plan has no base price.',
        options.some((option) => option.price === null) &&
          'At least one option has no price or is priced from its cost.',
        cost === null && 'The cost cannot be calculated: parts have no price, or options conflict.',
        'The cost excludes land, overhead, financing, and commissions.',
      ),
    }),
    currency: call.currency,
  }
}

/** Returns the sum, or null if an amount is unknown, because a partial sum would be misleading. */
function sumIfComplete(amounts: readonly (number | null)[]): number | null {
  return amounts.every((amount) => amount !== null) ? sum(amounts) : null
}

/** Returns the reasons why the home cannot be built with these options. */
function findConflicts({ house, selected }: HomeFromPlan): string[] {
  const standing = selected.map(({ option }) => ({ option, status: 'approved' as const }))
  const codes = new Map(selected.map(({ option }) => [option.id, option.code]))
  const found = selected.flatMap(({ option }) =>
    selectSentences(
      explainWhyOptionCannotBeSelected(option, house) ?? false,
      option.status !== 'active' && `${option.code} is ${option.status}.`,
      findExclusion(option, standing, house, codes) ?? false,
      listMissingRequirements(option, standing).length > 0 && `${option.code} requires options that are not selected.`,
    ),
  )
  return [...new Set(found)]
}

/**
 * Returns a sentence if an option excludes another. The sentence is the same for both options, so that each pair is
 * reported only once.
 */
function findExclusion(
  option: Option,
  standing: readonly { option: Option; status: 'approved' }[],
  house: HomeFromPlan['house'],
  codes: ReadonlyMap<string, string>,
): string | null {
  const others = standing.filter(({ option: { id } }) => id !== option.id)
  if (describeExclusion(option, others, house) === null) return null
  const excluded = others.filter(
    ({ option: other }) => option.excludesOptionIds.includes(other.id) || other.excludesOptionIds.includes(option.id),
  )
  const pair = [option.code, codes.get(excluded[0]?.option.id ?? '') ?? ''].sort()
  return `${pair.join(' and ')} cannot be combined.`
}

/** Returns the costs of the options. If the options cannot be costed together, adds a conflict and returns null. */
async function computeCosts(
  call: Call,
  { house, selected }: HomeFromPlan,
  conflicts: string[],
): Promise<Costing | null> {
  const of = new Set(selected.map(({ id }) => id))
  try {
    return await computeCosting(call, house, { on: getToday(call), base: true, selected, of, also: [] })
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'conflict') throw error
    conflicts.push(error.message)
    return null
  }
}
