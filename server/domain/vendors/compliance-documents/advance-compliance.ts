import type { Services } from '../../../platform/calls/call.ts'
import { processDueItems } from '../../../platform/due/process-due-items.ts'
import * as vendors from '../vendors/queries.ts'
import { reassessVendorByDate } from './assess-vendor.ts'
import * as documents from './queries.ts'

/**
 * Makes changes that depend on the date: documents expire, vendors come within 30 days of an expiration, and renewals
 * take effect.
 */
export async function advanceCompliance(services: Services): Promise<void> {
  await processDueItems(services, {
    what: 'vendors to check for compliance',
    find: documents.findVendorsToReview,
    claim: documents.lockVendorsToReview,
    async settle(call, vendorId) {
      await reassessVendorByDate(call, await vendors.find(call, vendorId))
    },
  })
}
