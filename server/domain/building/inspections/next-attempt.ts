import type { Inspection } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { listItemsToRepeat, requirePermit } from './inspection.ts'
import * as inspections from './queries.ts'

/**
 * Adds the next attempt after an inspection that did not pass. The attempt is scheduled if its date is known.
 * Otherwise, it is requested.
 */
export async function addNextAttempt(
  call: WriteCall,
  failed: Inspection,
  scheduled: Checked['InspectionReinspection'] | null,
): Promise<Inspection> {
  const { homeId, communityId, taskId, name, authority, permitId, currency, attempt, items } = failed
  const date = scheduled?.date ?? null
  const next = await inspections.insert(call, {
    ...{ homeId, communityId, taskId, name, authority, currency, attempt: attempt + 1, previousId: failed.id },
    permitId: await requirePermit(call, failed, permitId, date),
    status: date === null ? 'requested' : 'scheduled',
    ...{ scheduledDate: date, window: scheduled?.window ?? 'any' },
    ...{ items: listItemsToRepeat(items), releasedScopes: [] },
  })
  await recordStatusChange(call, { id: next.id, from: null, to: next.status })
  if (next.status === 'scheduled') await recordEvent(call, 'inspection.scheduled', next)
  return next
}
