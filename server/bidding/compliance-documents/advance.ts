import type { Surroundings } from '../../http/call.ts'
import { systemCall } from '../../keys/principals.ts'
import * as vendors from '../vendors/queries.ts'
import { judgeByCalendar } from './judge-vendor.ts'
import * as documents from './queries.ts'

/** The most vendors that one run handles, so that a shutdown never waits long for it; the next run continues. */
const MOST_AT_ONCE = 200

/**
 * What happens as time passes: documents expire, vendors come within thirty days of it, renewals take effect. While
 * nothing is due it is one look into a small index. Safe in several processes: each vendor is handled under its lock,
 * and the second process finds it done.
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
