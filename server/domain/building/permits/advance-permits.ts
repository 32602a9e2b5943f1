import type { Services } from '../../../platform/calls/call.ts'
import { processDueItems } from '../../../platform/due/process-due-items.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import * as permits from './queries.ts'

/**
 * Records an event 30 days before a permit expires, and changes the status of permits whose last day has passed in the
 * time zone of their community.
 */
export async function advancePermits(services: Services): Promise<void> {
  await processDueItems(services, {
    what: 'permits to announce',
    find: permits.findPermitsToAnnounce,
    claim: permits.lockPermitsToAnnounce,
    async settle(call, id) {
      const permit = await permits.find(call, id)
      if (permit.expiryDate === null) return
      await permits.recordExpiryWarning(call, id, permit.expiryDate)
      await recordEvent(call, 'permit.expiring', permit)
    },
  })
  await processDueItems(services, {
    what: 'permits to expire',
    find: permits.findExpiredPermits,
    claim: permits.lockIssuedPermits,
    async settle(call, id) {
      const before = await permits.lock(call, id)
      const after = await permits.update(call, before, { status: 'expired' })
      await recordStatusChange(call, { id, from: before.status, to: after.status })
    },
  })
}
