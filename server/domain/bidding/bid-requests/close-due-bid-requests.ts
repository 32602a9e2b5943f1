import type { Services } from '../../../platform/calls/call.ts'
import { settleDueItems } from '../../../platform/due/settle-due.ts'
import { closeBidding } from './change-bid-request.ts'
import * as requests from './queries.ts'

/** Closes the bid requests whose deadline has passed, so that this does not depend on a read. */
export async function closeDueBidRequests(services: Services): Promise<void> {
  await settleDueItems(services, {
    what: 'bid requests to close',
    find: requests.findOverdueBidRequests,
    claim: requests.lockDueRequests,
    async settle(call, id) {
      await closeBidding(call, await requests.find(call, id))
    },
  })
}
