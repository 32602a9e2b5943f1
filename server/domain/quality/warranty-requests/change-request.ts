import type { Visit, WarrantyRequest, WarrantyRequestStatus } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict } from '../../../platform/problems/problem.ts'
import type { RowChanges } from '../../../platform/resources/resource.ts'
import * as punchItems from '../punch-items/queries.ts'
import * as requests from './queries.ts'
import { computeNextDueTime, isOverdue, WARRANTY_REQUEST_MOVES } from './warranty-request.ts'

/** Stores changes of a locked request and schedules the next automatic action. */
export async function storeRequestChanges(
  call: WriteCall,
  before: WarrantyRequest,
  changes: RowChanges<WarrantyRequest, 'cost'>,
): Promise<WarrantyRequest> {
  const next = { ...before, ...changes } as WarrantyRequest
  const after = await requests.update(call, before, { ...changes, isOverdue: isOverdue(next, call.now.toISOString()) })
  await scheduleNextAction(call, after)
  return after
}

/** Schedules the next automatic action on a request. */
export async function scheduleNextAction(call: WriteCall, request: WarrantyRequest): Promise<void> {
  const missedTargets = await requests.findMissedTargets(call, request.id)
  const nextDueAt = computeNextDueTime(request, missedTargets)
  await requests.storeDueTime(call, request.id, { nextDueAt, missedTargets })
}

/** Changes the status of a locked request, and records its history and event. */
export async function changeWarrantyRequestStatus(
  call: WriteCall,
  before: WarrantyRequest,
  status: WarrantyRequestStatus,
  changes: RowChanges<WarrantyRequest, 'cost'> = {},
  reason: string | null = null,
): Promise<WarrantyRequest> {
  assertTransition(WARRANTY_REQUEST_MOVES, before.status, status)
  const after = await storeRequestChanges(call, before, { ...changes, status })
  await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason })
  await recordEvent(call, 'warranty_request.status_changed', after, before)
  return after
}

/** Completes a locked request. Throws `photo_required` if there is no photo of the fix. */
export async function completeRequest(call: WriteCall, before: WarrantyRequest): Promise<WarrantyRequest> {
  assertTransition(WARRANTY_REQUEST_MOVES, before.status, 'completed')
  if ((await punchItems.countFixPhotos(call, before.id)) === 0)
    throw conflict('photo_required', `Cannot complete ${before.number}: it has no photo of the fix. Add one first.`)
  return changeWarrantyRequestStatus(call, before, 'completed', { completedAt: call.now.toISOString() })
}

/** Locks the requests of a visit in the order of their IDs. */
export async function lockVisitRequests(call: WriteCall, { requestIds }: Pick<Visit, 'requestIds'>) {
  const locked: WarrantyRequest[] = []
  for (const id of [...requestIds].sort()) locked.push(await requests.lock(call, id))
  return locked
}

/** If a visit does not take place, changes its requests back to assigned. */
export async function releaseVisitRequests(call: WriteCall, visit: Visit): Promise<void> {
  for (const request of await lockVisitRequests(call, visit))
    if (request.status === 'scheduled' && request.visitId === visit.id)
      await changeWarrantyRequestStatus(call, request, 'assigned', { visitId: null })
}
