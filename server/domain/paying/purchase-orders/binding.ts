import { isDeepStrictEqual } from 'node:util'
import type { FieldError, PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import * as orders from './queries.ts'

/** The terms that a change order shares with its root order. */
const SHARED = ['retainagePercent', 'retainageSteps', 'retainageMaxPercent', 'storedRetainagePercent'] as const

export type SharedTerms = Pick<PurchaseOrder, (typeof SHARED)[number]>

type Bound = Pick<PurchaseOrder, 'poType' | 'vendorId' | 'homeId'> & { parentPoId?: string | null | undefined }

/**
 * Returns the root order of a change order or variance order. Returns null for an independent order, or if the earlier
 * order has a different vendor or home.
 */
export async function findRootOrder(
  call: Tenant,
  { poType, vendorId, homeId, parentPoId }: Bound,
): Promise<PurchaseOrder | null> {
  if (parentPoId == null || (poType !== 'change' && poType !== 'variance')) return null
  const parent = await orders.find(call, parentPoId)
  if (parent.vendorId !== vendorId || parent.homeId !== homeId || parent.poType === 'backcharge') return null
  return parent.rootPoId === null ? parent : orders.find(call, parent.rootPoId)
}

/** Returns errors for terms that the request sets on a change order but that differ from those of the root order. */
export function findSharedTermErrors(
  root: PurchaseOrder | null,
  requested: { [Field in keyof SharedTerms]?: SharedTerms[Field] | undefined },
): FieldError[] {
  if (root !== null)
    return SHARED.flatMap((field) =>
      requested[field] === undefined || isDeepStrictEqual(requested[field], root[field])
        ? []
        : {
            pointer: `/${field}`,
            code: 'other_terms',
            message: `must equal the value of ${root.number}, which the order changes, or be omitted`,
          },
    )
  const { retainageSteps = [] } = requested
  return retainageSteps.flatMap(({ atPercent, milestoneId }, i): FieldError[] => {
    const error = (field: string, code: string, message: string) => [
      { pointer: `/retainageSteps/${i}/${field}`, code, message },
    ]
    if (atPercent === undefined)
      return milestoneId === undefined ? error('atPercent', 'required', 'is required unless milestoneId is set') : []
    if (milestoneId !== undefined) return error('milestoneId', 'exclusive', 'cannot be combined with atPercent')
    const earlier = retainageSteps.slice(0, i).flatMap((step) => step.atPercent ?? [])
    if (earlier.every((percent) => percent < atPercent)) return []
    return error('atPercent', 'order', 'must be greater than atPercent of the previous step')
  })
}

/** Returns the terms that an order takes from its root order. */
export function getSharedTerms({
  retainagePercent,
  retainageSteps,
  retainageMaxPercent,
  storedRetainagePercent,
}: SharedTerms): SharedTerms {
  return { retainagePercent, retainageSteps, retainageMaxPercent, storedRetainagePercent }
}
