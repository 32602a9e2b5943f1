import type { Surroundings } from '../../platform/calls/call.ts'
import { settleDue } from '../../platform/due/settle-due.ts'
import * as proposals from './queries.ts'
import { tell } from './tell.ts'

/** Expires proposals that were not decided in time. */
export async function expireProposals(surroundings: Surroundings): Promise<void> {
  await settleDue(surroundings, {
    what: 'proposals to expire',
    find: proposals.due,
    claim: proposals.lockWaiting,
    async settle(call, id) {
      const before = await proposals.lock(call, id)
      await tell(call, await proposals.update(call, before, { status: 'expired' }), before)
    },
  })
}
