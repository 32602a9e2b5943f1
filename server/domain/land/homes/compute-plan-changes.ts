import type { Home } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import * as communities from '../communities/queries.ts'
import { explainWhyPlanIsFixed } from './home.ts'
import { findPriceWithElevation, resolvePlan } from './planned-home.ts'
import * as homes from './queries.ts'

interface HomePlan {
  basePrice?: number | null | undefined
  planId?: string | null | undefined
  elevation?: string | null | undefined
}

/**
 * Returns the changes of a home for a new plan or elevation. If the plan stays the same, the revision also stays the
 * same.
 */
export async function computePlanChanges(call: WriteCall, before: Home, body: HomePlan): Promise<Partial<Home>> {
  const { planId = before.planId, elevation = planId === before.planId ? before.elevation : null } = body
  if (planId === before.planId && elevation === before.elevation) return {}
  const reason = explainWhyPlanIsFixed(before)
  if (reason !== null) throw conflict('not_available', reason)
  const { basePrice: requested } = body
  if (planId !== null && planId === before.planId) {
    const basePrice = await findPriceWithElevation(call, planId, before.planRevision, elevation)
    return { elevation, basePrice: requested === undefined ? basePrice : requested }
  }
  const community = await communities.find(call, before.communityId)
  const { planRevision, basePrice } = await resolvePlan(call, { planId, elevation }, community)
  const selected = await homes.listUnavailableOptionCodes(call, before.id, planId)
  if (selected.length > 0)
    throw conflict(
      'not_available',
      `Cannot change the plan of ${before.name}: its selections ${selected.join(', ')} are not available for the new plan. Cancel them first.`,
    )
  return { planId, elevation, planRevision, basePrice: requested === undefined ? basePrice : requested }
}
