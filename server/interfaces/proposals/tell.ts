import type { Proposal, ProposalNotice } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import { makeEvent, recordEvents } from '../../platform/events/record.ts'
import { catalogueOf } from '../skills/catalogue.ts'
import { skillsOf } from './skills-of.ts'

/**
 * Notifies the users who may run the proposed skills of a pending proposal, or of a settled one if `before` is given.
 * Events are kept for years and go to other systems, so they contain neither the input nor the outcome.
 */
export async function tell(call: WriteCall, after: Proposal, before: Proposal | null = null): Promise<Proposal> {
  const { row, recorded } =
    before === null
      ? makeEvent(call, 'proposal.created', noticeOf(after))
      : makeEvent(call, 'proposal.status_changed', noticeOf(after), noticeOf(before))
  const { skills } = catalogueOf(call.surroundings.contract)
  const proposed = skillsOf(after).map((name) => skills.find((skill) => skill.name === name)?.permissions)
  // A later version no longer has this skill. Nobody may run it, so nobody is notified.
  if (proposed.includes(undefined)) return after
  const permissions = [...new Set(proposed.flatMap((needed) => needed ?? []))]
  await recordEvents(call, [{ row: { ...row, permissions }, recorded }])
  return after
}

function noticeOf({ input: _input, outcome: _outcome, ...notice }: Proposal): ProposalNotice {
  return notice
}
