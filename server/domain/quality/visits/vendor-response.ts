import type { PortalServiceVisitAnswer, PortalServiceVisitCompletion, Visit } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { assertVersionSeen } from '../../../platform/calls/etag.ts'
import { assertTransition, conflict, validationFailed } from '../../../platform/problems/problem.ts'
import * as punchItems from '../punch-items/queries.ts'
import { changeWarrantyRequestStatus, lockVisitRequests } from '../warranty-requests/change-request.ts'
import { changeVisitStatus, VISIT_MOVES } from './change-visit.ts'

/** Applies the response of the vendor to a locked visit. If the vendor declines, cancels the visit. */
export async function recordVisitResponse(
  call: WriteCall,
  before: Visit,
  { answer, note, version }: PortalServiceVisitAnswer,
): Promise<Visit> {
  if (answer === 'declined' && note === undefined)
    throw validationFailed([{ pointer: '/note', code: 'required', message: 'is required when answer is declined' }])
  const status = answer === 'declined' ? 'cancelled' : 'confirmed'
  if (before.status === status) return before
  assertVersionSeen(version, { number: 'The visit', version: before.version })
  return changeVisitStatus(call, before, status, { vendorNote: note ?? null }, note ?? null)
}

/** Completes a locked visit and its requests. Throws `photo_required` if there is no photo of the fix. */
export async function completeVisit(
  call: WriteCall,
  before: Visit,
  { note, version }: PortalServiceVisitCompletion,
): Promise<Visit> {
  assertVersionSeen(version, { number: 'The visit', version: before.version })
  assertTransition(VISIT_MOVES, before.status, 'done')
  if ((await punchItems.countFixPhotos(call, before.id)) === 0)
    throw conflict('photo_required', 'Cannot complete the visit: it has no photo of the fix. Add one first.')
  const visit = await changeVisitStatus(call, before, 'done', { vendorNote: note ?? null }, note ?? null)
  for (const request of await lockVisitRequests(call, visit))
    if (request.status === 'scheduled' && request.visitId === visit.id)
      await changeWarrantyRequestStatus(call, request, 'completed', { completedAt: call.now.toISOString() })
  return visit
}
