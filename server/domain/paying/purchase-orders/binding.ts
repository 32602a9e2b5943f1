import { isDeepStrictEqual } from 'node:util'
import type { FieldError, PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import * as orders from './queries.ts'

/** Terms that a change order shares with the order that it belongs to. */
const SHARED = ['retainagePercent', 'retainageSteps', 'retainageMaxPercent', 'storedRetainagePercent'] as const

export type SharedTerms = Pick<PurchaseOrder, (typeof SHARED)[number]>

type Bound = Pick<PurchaseOrder, 'poType' | 'vendorId' | 'homeId'> & { parentPoId?: string | null | undefined }

/**
 * Returns the order that a change order or variance order belongs to. Returns null for an independent order, or if the
 * related order has a different vendor or home.
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

/** Returns errors in the terms that were sent for a change order of the root order. */
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

/** Returns the terms of the root order, for an order that belongs to it. */
export function getSharedTerms({
  retainagePercent,
  retainageSteps,
  retainageMaxPercent,
  storedRetainagePercent,
}: SharedTerms): SharedTerms {
  return { retainagePercent, retainageSteps, retainageMaxPercent, storedRetainagePercent }
}
