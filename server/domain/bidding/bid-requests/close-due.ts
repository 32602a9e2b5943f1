import type { Surroundings } from '../../../platform/calls/call.ts'
import { settleDue } from '../../../platform/due/settle-due.ts'
import { closeBidding } from './changes.ts'
import * as requests from './queries.ts'

/** Closes the bid requests whose deadline has passed, so that this does not depend on a read. */
export async function closeDueBidRequests(surroundings: Surroundings): Promise<void> {
  await settleDue(surroundings, {
    what: 'bid requests to close',
    find: requests.due,
    claim: requests.lockDue,
    async settle(call, id) {
      await closeBidding(call, await requests.find(call, id))
    },
  })
}
