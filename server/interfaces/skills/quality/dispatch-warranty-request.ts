import type { DispatchWarrantyRequestResult, FieldError, WarrantyRequest } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { CheckedSkills } from '../../../platform/calls/checked.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { mapTradesToOrderedVendors } from './vendors-by-trade.ts'

type Input = CheckedSkills['dispatchWarrantyRequest']

/** Decides on a warranty request, assigns the vendor, and proposes a visit. */
export async function dispatchWarrantyRequest(input: Input, call: Call): Promise<DispatchWarrantyRequestResult> {
  assertFieldsFit(input)
  const { warrantyRequestId, decision, reason, date, window, notes } = input
  const before = await call.operation('getWarrantyRequest', { warrantyRequestId })
  const decided =
    before.status === 'new' || before.status === 'not_covered'
      ? await call.operation('decideWarrantyRequest', { warrantyRequestId, decision, ...(reason && { reason }) })
      : before
  if (decision === 'not_covered') return { request: decided, visit: null, missing: null }
  const vendorId = input.vendorId ?? (await findBuilder(call, decided))
  if (vendorId === undefined)
    return { request: decided, visit: null, missing: 'No vendor has had an order for this trade. Set vendorId.' }
  const assigned = await call.operation('assignWarrantyRequest', { warrantyRequestId, vendorId })
  if (date === undefined)
    return { request: assigned, visit: null, missing: 'No visit was proposed because date is not set.' }
  const visit = await call.operation('createVisit', {
    ...{ requestIds: [warrantyRequestId], date, window, ...(notes !== undefined && { notes }) },
  })
  return { request: await call.operation('getWarrantyRequest', { warrantyRequestId }), visit, missing: null }
}

function assertFieldsFit({ decision, reason, vendorId, date }: Input): void {
  if (decision !== 'not_covered') return
  const errors: FieldError[] = Object.entries({ vendorId, date })
    .filter(([, value]) => value !== undefined)
    .map(([field]) => ({
      ...{ pointer: `/${field}`, code: 'exclusive', message: 'cannot be combined with decision not_covered' },
    }))
  if (reason === undefined)
    errors.push({ pointer: '/reason', code: 'required', message: 'is required when decision is not_covered' })
  if (errors.length > 0) throw validationFailed(errors)
}

/** Returns the vendor that had the order for the request's trade. */
async function findBuilder(call: Call, { homeId, scope, vendorId }: WarrantyRequest): Promise<string | undefined> {
  if (vendorId !== null) return vendorId
  return scope === null ? undefined : (await mapTradesToOrderedVendors(call, homeId)).get(scope.toLowerCase())
}
