import type { Surroundings } from '../../http/call.ts'
import { systemCall } from '../../keys/principals.ts'
import * as vendors from '../vendors/queries.ts'
import { judgeByCalendar } from './judge-vendor.ts'
import * as documents from './queries.ts'

/** How many vendors one run looks after at most, so that stopping never waits long for it; the next run goes on. */
const MOST_AT_ONCE = 200

/**
 * What the calendar does by itself: documents run out, vendors come within thirty days of it, renewals take effect. One
 * look into a small index while nothing is due. Safe in several processes: each vendor is looked after under its lock,
 * and whoever comes second finds it done.
 */
export async function advanceCompliance(surroundings: Surroundings): Promise<void> {
  const now = surroundings.clock.now()
  for (const { organizationId, vendorId } of await documents.due(surroundings.database.statements, now, MOST_AT_ONCE)) {
    const call = await systemCall(surroundings, organizationId)
    await call.write(async (call) => {
      const vendor = await vendors.lock(call, vendorId)
      if (await documents.isDue(call, vendorId, now)) await judgeByCalendar(call, vendor)
    })
  }
}
