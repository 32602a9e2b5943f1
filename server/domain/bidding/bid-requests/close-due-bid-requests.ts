import type { Services } from '../../../platform/calls/call.ts'
import { processDueItems } from '../../../platform/due/process-due-items.ts'
import { closeBidding } from './change-bid-request.ts'
import * as requests from './queries.ts'

/** Closes the bid requests whose deadline has passed, even if no client reads them. */
export async function closeDueBidRequests(services: Services): Promise<void> {
  await processDueItems(services, {
    what: 'bid requests to close',
    find: requests.findOverdueBidRequests,
    claim: requests.lockDueBidRequests,
    async settle(call, id) {
      await closeBidding(call, await requests.find(call, id))
    },
  })
}
