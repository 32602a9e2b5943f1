import type { Proposal, ProposalNotice } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import { buildEvent, recordEvents } from '../../platform/events/record-event.ts'
import { getSkillCatalog } from '../skills/skill-catalog.ts'
import { listProposalSkills } from './proposal-skills.ts'

/**
 * Notifies the users who may run the proposed skills. If `before` is given, the notification says that the proposal was
 * settled; otherwise, that it is pending. Events are kept for years and sent to other systems, so they contain neither
 * the input nor the outcome.
 */
export async function notifyProposal(
  call: WriteCall,
  after: Proposal,
  before: Proposal | null = null,
): Promise<Proposal> {
  const { row, recorded } =
    before === null
      ? buildEvent(call, 'proposal.created', toProposalNotice(after))
      : buildEvent(call, 'proposal.status_changed', toProposalNotice(after), toProposalNotice(before))
  const { skills } = getSkillCatalog(call.services.contract)
  const proposed = listProposalSkills(after).map((name) => skills.find((skill) => skill.name === name)?.permissions)
  // A newer version of the service may no longer have this skill. Then nobody can run it, so nobody is notified.
  if (proposed.includes(undefined)) return after
  const permissions = [...new Set(proposed.flatMap((needed) => needed ?? []))]
  await recordEvents(call, [{ row: { ...row, permissions }, recorded }])
  return after
}

function toProposalNotice({ input: _input, outcome: _outcome, ...notice }: Proposal): ProposalNotice {
  return notice
}
