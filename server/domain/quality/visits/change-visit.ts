import type { Visit, VisitStatus } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition } from '../../../platform/problems/problem.ts'
import type { RowChanges } from '../../../platform/resources/resource.ts'
import { releaseVisitRequests } from '../warranty-requests/change-request.ts'
import * as visits from './queries.ts'

export const VISIT_MOVES: Readonly<Record<VisitStatus, readonly VisitStatus[]>> = {
  proposed: ['confirmed', 'done', 'missed', 'cancelled'],
  confirmed: ['done', 'missed', 'cancelled', 'proposed'],
  done: [],
  missed: [],
  cancelled: [],
}

/** Changes the status of a locked visit. If the visit does not take place, its requests become assigned again. */
export async function changeVisitStatus(
  call: WriteCall,
  before: Visit,
  status: VisitStatus,
  changes: RowChanges<Visit> = {},
  reason: string | null = null,
): Promise<Visit> {
  assertTransition(VISIT_MOVES, before.status, status)
  const after = await visits.update(call, before, { ...changes, status })
  await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason })
  if (status === 'missed' || status === 'cancelled') await releaseVisitRequests(call, after)
  return after
}
