import type { Surroundings } from '../../../platform/calls/call.ts'
import { settleDue } from '../../../platform/due/settle-due.ts'
import * as vendors from '../vendors/queries.ts'
import { judgeByCalendar } from './judge-vendor.ts'
import * as documents from './queries.ts'

/** What happens as time passes: documents expire, vendors come within thirty days of it, renewals take effect. */
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
