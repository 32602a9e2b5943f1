import type { Services } from '../../../platform/calls/call.ts'
import { settleDueItems } from '../../../platform/due/settle-due.ts'
import * as vendors from '../vendors/queries.ts'
import { assessByCalendar } from './assess-vendor.ts'
import * as documents from './queries.ts'

/**
 * Applies what changes with time: documents expire, vendors come within 30 days of an expiration, renewals take effect.
 */
export async function advanceCompliance(services: Services): Promise<void> {
  await settleDueItems(services, {
    what: 'vendors to check for compliance',
    find: documents.findVendorsToReview,
    claim: documents.lockVendorsToReview,
    async settle(call, vendorId) {
      await assessByCalendar(call, await vendors.find(call, vendorId))
    },
  })
}
