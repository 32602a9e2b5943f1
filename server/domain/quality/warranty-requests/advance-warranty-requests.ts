import type { Services, WriteCall } from '../../../platform/calls/call.ts'
import { processDueItems } from '../../../platform/due/process-due-items.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { changeWarrantyRequestStatus, storeRequestChanges } from './change-request.ts'
import * as requests from './queries.ts'
import { listOpenTargets } from './warranty-request.ts'

/** Records an event for each missed target, once, and closes completed requests to which the owner has not objected. */
export async function advanceWarrantyRequests(services: Services): Promise<void> {
  await processDueItems(services, {
    what: 'warranty requests that are due',
    find: requests.findDueRequests,
    claim: requests.lockAvailableWarrantyRequests,
    settle: (call, id) => advanceRequest(call, id),
  })
}

async function advanceRequest(call: WriteCall, id: string): Promise<void> {
  const request = await requests.lock(call, id)
  if (request.status === 'completed') {
    const reason = 'The owner did not object within 10 days.'
    await changeWarrantyRequestStatus(call, request, 'closed', { closedAt: call.now.toISOString() }, reason)
    return
  }
  const missed = await requests.findMissedTargets(call, id)
  const now = call.now.toISOString()
  const passed = listOpenTargets(request).filter(({ target, at }) => at <= now && !missed.includes(target))
  const missedTargets = [...missed, ...passed.map(({ target }) => target)]
  await requests.storeDueTime(call, id, { nextDueAt: null, missedTargets })
  const after = await storeRequestChanges(call, request, {})
  for (const { target } of passed) await recordEvent(call, 'warranty_request.overdue', after, request, { target })
}
