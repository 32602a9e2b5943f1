import type { Home } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict, invalid, unknownReference } from '../../../platform/problems/problem.ts'
import { isMoney, sum } from '../../../platform/values/money.ts'
import { elevationFault, reasonNotToBuildFrom } from '../plans/plan.ts'
import * as plans from '../plans/queries.ts'

interface Built {
  planId?: string | null | undefined
  elevation?: string | null | undefined
}

type Planned = Pick<Home, 'planRevision' | 'basePrice'>

/**
 * Returns the revision that a home will be built from, and its price. Throws if the plan is not available in this
 * community or lacks the elevation.
 */
export async function planFor(
  call: WriteCall,
  { planId = null, elevation = null }: Built,
  community: { id: string; name: string },
): Promise<Planned> {
  if (planId === null) {
    if (elevation === null) return { planRevision: null, basePrice: null }
    throw elevationInvalid('requires planId')
  }
  const plan = await plans.findOptional(call, planId)
  if (plan === undefined) throw unknownReference(['/planId'])
  const reason = reasonNotToBuildFrom(plan, community)
  if (reason !== null) throw conflict('not_available', reason)
  const basePrice = await priceWith(call, planId, plan.releasedRevision, elevation)
  return { planRevision: plan.releasedRevision, basePrice }
}

/**
 * Returns the price of the revision with the elevation; null if it has none. Throws if the elevation does not exist.
 */
export async function priceWith(
  call: WriteCall,
  planId: string,
  revision: number | null,
  elevation: string | null,
): Promise<number | null> {
  const released = revision === null ? undefined : await plans.findRevision(call, planId, revision)
  const fault = elevationFault(released?.elevations ?? [], elevation)
  if (fault !== null) throw elevationInvalid(fault)
  if (released == null || released.basePrice === null) return null
  const price = sum([released.basePrice, released.elevations.find(({ code }) => code === elevation)?.price ?? 0])
  if (!isMoney(price)) throw elevationInvalid('must not raise the price above the maximum price of a home')
  return price
}

function elevationInvalid(message: string) {
  return invalid([{ pointer: '/elevation', code: 'elevation', message }])
}
