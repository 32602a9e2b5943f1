import type { Proposal, ProposalNotice } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import { makeEvent, recordEvents } from '../../platform/events/record.ts'
import { catalogueOf } from '../skills/catalogue.ts'
import { skillsOf } from './skills-of.ts'

/**
 * Tells of a proposal that waits, or that was settled if there is a `before`, to those who may run what is proposed.
 * Events are kept for years and go to other systems, so they show neither what it takes nor what it does.
 */
export async function tell(call: WriteCall, after: Proposal, before: Proposal | null = null): Promise<Proposal> {
  const { row, recorded } =
    before === null
      ? makeEvent(call, 'proposal.created', noticeOf(after))
      : makeEvent(call, 'proposal.status_changed', noticeOf(after), noticeOf(before))
  const { skills } = catalogueOf(call.surroundings.contract)
  const proposed = skillsOf(after).map((name) => skills.find((skill) => skill.name === name)?.permissions)
  // One that a later version no longer has: nobody may run it, so nobody is told.
  if (proposed.includes(undefined)) return after
  const permissions = [...new Set(proposed.flatMap((needed) => needed ?? []))]
  await recordEvents(call, [{ row: { ...row, permissions }, recorded }])
  return after
}

function noticeOf({ input: _input, outcome: _outcome, ...notice }: Proposal): ProposalNotice {
  return notice
}
