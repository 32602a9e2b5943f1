import type { Surroundings } from '../../../platform/calls/call.ts'
import { settleDue } from '../../../platform/due/settle-due.ts'
import * as vendors from '../vendors/queries.ts'
import { judgeByCalendar } from './judge-vendor.ts'
import * as documents from './queries.ts'

/**
 * Applies what changes with time: documents expire, vendors come within 30 days of an expiration, renewals take effect.
 */
export async function advanceCompliance(surroundings: Surroundings): Promise<void> {
  await settleDue(surroundings, {
    what: 'vendors to check for compliance',
    find: documents.due,
    claim: documents.lockDue,
    async settle(call, vendorId) {
      await judgeByCalendar(call, await vendors.find(call, vendorId))
    },
  })
}
