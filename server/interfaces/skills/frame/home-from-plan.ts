import type { Option, Plan } from '../../../../client/contract.gen.ts'
import type { CostingHome } from '../../../domain/costs/budgets/costing.ts'
import type { SelectedOption } from '../../../domain/costs/budgets/selected-option.ts'
import * as options from '../../../domain/costs/options/queries.ts'
import { findElevationError } from '../../../domain/land/plans/plan.ts'
import * as plans from '../../../domain/land/plans/queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'

/** A home that is not planned for a lot yet. Its options are treated as selected. */
export interface HomeFromPlan {
  plan: Plan
  revision: number
  house: CostingHome
  selected: (SelectedOption & { option: Option })[]
}

export interface HomeFromPlanInput {
  planId: string
  communityId: string
  elevation?: string | undefined
  optionIds: readonly string[]
}

/** Returns a home from the plan's latest released revision. */
export async function buildHomeFromPlan(
  call: Call,
  { planId, communityId, elevation, optionIds }: HomeFromPlanInput,
): Promise<HomeFromPlan> {
  const [plan, chosen] = await Promise.all([
    plans.find(call, planId),
    optionIds.length === 0 ? [] : options.findAll(call, optionIds),
  ])
  const { releasedRevision: revision } = plan
  if (revision === null)
    throw conflict('missing_data', `Plan ${plan.code} has no released revision. Release a revision first.`)
  const fault = elevation === undefined ? null : findElevationError(plan.elevations, elevation)
  if (fault !== null) throw validationFailed([{ pointer: '/elevation', code: 'elevation', message: fault }])
  return {
    ...{ plan, revision },
    house: { name: plan.code, communityId, planId, planRevision: revision, elevation: elevation ?? null },
    // Uses the option's ID as the selection's ID, so that results can be assigned to the option.
    selected: chosen.map((option) => ({
      ...{ id: option.id, quantity: 1, cost: null, costBasis: 'option', customDescription: null, option },
      ...{ scope: option.scope, costCodeId: option.costCodeId },
    })),
  }
}
