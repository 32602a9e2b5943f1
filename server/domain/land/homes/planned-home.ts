import type { Home } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { isWithinMoneyRange, sum } from '../../../platform/values/money.ts'
import { explainWhyPlanCannotBeUsed, findElevationError } from '../plans/plan.ts'
import * as plans from '../plans/queries.ts'

interface BuiltHome {
  planId?: string | null | undefined
  elevation?: string | null | undefined
}

type PlannedHome = Pick<Home, 'planRevision' | 'basePrice'>

/**
 * Returns the revision from which a home will be built, and its price. Throws if the plan is not available in the
 * community or does not have the elevation.
 */
export async function resolvePlan(
  call: WriteCall,
  { planId = null, elevation = null }: BuiltHome,
  community: { id: string; name: string },
): Promise<PlannedHome> {
  if (planId === null) {
    if (elevation === null) return { planRevision: null, basePrice: null }
    throw invalidElevation('requires planId')
  }
  const plan = await plans.findOptional(call, planId)
  if (plan === undefined) throw unknownReference(['/planId'])
  const reason = explainWhyPlanCannotBeUsed(plan, community)
  if (reason !== null) throw conflict('not_available', reason)
  const basePrice = await findPriceWithElevation(call, planId, plan.releasedRevision, elevation)
  return { planRevision: plan.releasedRevision, basePrice }
}

/**
 * Returns the price of the revision with the elevation; null if there is none. Throws if the elevation does not exist.
 */
export async function findPriceWithElevation(
  call: WriteCall,
  planId: string,
  revision: number | null,
  elevation: string | null,
): Promise<number | null> {
  const released = revision === null ? undefined : await plans.findRevision(call, planId, revision)
  const fault = findElevationError(released?.elevations ?? [], elevation)
  if (fault !== null) throw invalidElevation(fault)
  if (released == null || released.basePrice === null) return null
  const price = sum([released.basePrice, released.elevations.find(({ code }) => code === elevation)?.price ?? 0])
  if (!isWithinMoneyRange(price)) throw invalidElevation('must not raise the price above the maximum price of a home')
  return price
}

function invalidElevation(message: string) {
  return validationFailed([{ pointer: '/elevation', code: 'elevation', message }])
}
