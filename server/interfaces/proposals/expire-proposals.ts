import type { Services } from '../../platform/calls/call.ts'
import { settleDueItems } from '../../platform/due/settle-due.ts'
import { notifyProposal } from './notify-proposal.ts'
import * as proposals from './queries.ts'

/** Expires proposals that were not decided in time. */
export async function expireProposals(services: Services): Promise<void> {
  await settleDueItems(services, {
    what: 'proposals to expire',
    find: proposals.findExpiredProposals,
    claim: proposals.lockPending,
    async settle(call, id) {
      const before = await proposals.lock(call, id)
      await notifyProposal(call, await proposals.update(call, before, { status: 'expired' }), before)
    },
  })
}
