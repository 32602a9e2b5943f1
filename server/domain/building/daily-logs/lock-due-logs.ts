import type { Services } from '../../../platform/calls/call.ts'
import { processDueItems } from '../../../platform/due/process-due-items.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import * as logs from './queries.ts'

/** Locks the logs whose editing period is over, and stores the activity of their day. */
export async function lockDueLogs(services: Services): Promise<void> {
  await processDueItems(services, {
    what: 'daily logs to lock',
    find: logs.findLogsToLock,
    claim: logs.lockOpenLogs,
    async settle(call, id) {
      const before = await logs.lock(call, id)
      await logs.freezeActivity(call, before)
      const after = await logs.update(call, before, { status: 'locked' })
      await recordStatusChange(call, { id, from: before.status, to: after.status })
    },
  })
}
