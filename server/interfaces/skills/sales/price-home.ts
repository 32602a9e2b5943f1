import type { Option, PriceHomeResult } from '../../../../client/contract.gen.ts'
import { type Costing, costing } from '../../../domain/costs/budgets/costing.ts'
import { reasonNotToSelect } from '../../../domain/costs/options/option.ts'
import * as plans from '../../../domain/land/plans/queries.ts'
import { exclusion, missingFor, unitPriceOf } from '../../../domain/selling/selections/selection.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { Problem } from '../../../platform/problems/problem.ts'
import { minus, percentage, sum } from '../../../platform/values/money.ts'
import { type PlannedHouse, plannedHouse } from '../frame/house.ts'
import { reported, sentences, todayOf } from '../frame/report.ts'

const MOST_LISTED = 200

export async function priceHome(input: Checked['PriceHomeInput'], call: Call): Promise<PriceHomeResult> {
  const { communityId, lotPremium } = input
  const planned = await plannedHouse(call, input)
  const { plan, revision, house, selected } = planned
  const built = await plans.findRevision(call, plan.id, revision)
  const elevation = built?.elevations.find(({ code }) => code === house.elevation)
  const basePrice = built?.basePrice == null ? null : sum([built.basePrice, elevation?.price ?? 0])
  const conflicts = conflictsOf(planned)
  const costs = await costsOf(call, planned, conflicts)
  const options = selected.map(({ option }) => {
    const cost = costs?.selections.find(({ id }) => id === option.id)?.cost ?? null
    const asked = { unitPrice: null, priceBasis: 'option' as const, quantity: 1 }
    return {
      optionId: option.id,
      option: `${option.code} ${option.name}`,
      price: unitPriceOf(asked, option, cost),
      cost,
    }
  })
  const unpriced = [...(costs?.base.unpriced ?? []), ...(costs?.selections.flatMap((each) => each.unpriced) ?? [])]
  const price = wholeSum([basePrice, lotPremium, ...options.map((option) => option.price)])
  const isCostKnown = costs !== null && costs.base.unpriced.length === 0
  const base = isCostKnown ? sum(costs.base.lines.map(({ amount }) => amount)) : null
  const cost = wholeSum([base, ...options.map((option) => option.cost)])
  const margin = price === null || cost === null ? null : minus(price, cost)
  return {
    ...{ planId: plan.id, plan: `${plan.code} ${plan.name}`, revision, elevation: house.elevation, communityId },
    ...{ basePrice, lotPremium, options, price, cost, margin, marginPercent: percentage(margin, price) },
    conflicts: conflicts.slice(0, MOST_LISTED),
    unpriced: unpriced.slice(0, MOST_LISTED).map(({ optionSelectionId, sku, name, ...line }) => {
      const { lineId, partId, scope, quantity, unit, issue } = line
      return { lineId, optionId: optionSelectionId, partId, part: `${sku} ${name}`, scope, quantity, unit, issue }
    }),
    unpricedCount: unpriced.length,
    ...reported(call, {
      unknown: sentences(
        basePrice === null && 'The plan has no base price.',
        options.some((option) => option.price === null) &&
          'At least one option has no price or is priced from its cost.',
        cost === null && 'The cost cannot be calculated: parts have no price, or options conflict.',
        'The cost excludes land, overhead, financing and commissions.',
      ),
    }),
    currency: call.currency,
  }
}

/** Null if a part of it is unknown, because a partial sum would mislead. */
function wholeSum(amounts: readonly (number | null)[]): number | null {
  return amounts.every((amount) => amount !== null) ? sum(amounts) : null
}

/** Returns why the house cannot be built this way. */
function conflictsOf({ house, selected }: PlannedHouse): string[] {
  const standing = selected.map(({ option }) => ({ option, status: 'approved' as const }))
  const codes = new Map(selected.map(({ option }) => [option.id, option.code]))
  const found = selected.flatMap(({ option }) =>
    sentences(
      reasonNotToSelect(option, house) ?? false,
      option.status !== 'active' && `${option.code} is ${option.status}.`,
      firstExclusion(option, standing, house, codes) ?? false,
      missingFor(option, standing).length > 0 && `${option.code} requires options that are not selected.`,
    ),
  )
  return [...new Set(found)]
}

/** Two options that exclude each other are reported once. */
function firstExclusion(
  option: Option,
  standing: readonly { option: Option; status: 'approved' }[],
  house: PlannedHouse['house'],
  codes: ReadonlyMap<string, string>,
): string | null {
  const others = standing.filter(({ option: { id } }) => id !== option.id)
  if (exclusion(option, others, house) === null) return null
  const excluded = others.filter(
    ({ option: other }) => option.excludesOptionIds.includes(other.id) || other.excludesOptionIds.includes(option.id),
  )
  const pair = [option.code, codes.get(excluded[0]?.option.id ?? '') ?? ''].sort()
  return `${pair.join(' and ')} cannot be combined.`
}

/** Returns null, and adds a conflict, if the options cannot be costed together. */
async function costsOf(call: Call, { house, selected }: PlannedHouse, conflicts: string[]): Promise<Costing | null> {
  const of = new Set(selected.map(({ id }) => id))
  try {
    return await costing(call, house, { on: todayOf(call), base: true, selected, of, also: [] })
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'conflict') throw error
    conflicts.push(error.message)
    return null
  }
}
