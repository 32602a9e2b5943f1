import type { Services } from '../../platform/calls/call.ts'
import { processDueItems } from '../../platform/due/process-due-items.ts'
import { notifyProposal } from './notify-proposal.ts'
import * as proposals from './queries.ts'

/** Marks proposals as expired if nobody has decided on them in time. */
export async function expireProposals(services: Services): Promise<void> {
  await processDueItems(services, {
    what: 'proposals to expire',
    find: proposals.findExpiredProposals,
    claim: proposals.lockPendingProposals,
    async settle(call, id) {
      const before = await proposals.lock(call, id)
      await notifyProposal(call, await proposals.update(call, before, { status: 'expired' }), before)
    },
  })
}
