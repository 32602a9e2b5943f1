import type { Handlers } from '../../platform/calls/operation.ts'
import { runWithDryRun } from '../skills/execute-skill.ts'
import { listRunnableSkills } from '../skills/skill-catalog.ts'
import { notifyProposal } from './notify-proposal.ts'
import {
  assertCanDecideProposals,
  assertCanReadProposal,
  assertOutcomeUnchanged,
  assertProposalPending,
  assertProposedByAnother,
  assertSkillWrites,
  runProposal,
  storeProposal,
} from './proposal.ts'
import * as proposals from './queries.ts'

export const proposalOperations = {
  async listProposals({ query }, call) {
    const shown = { ...query, runnable: listRunnableSkills(call) }
    return { status: 200, body: await proposals.list(call, shown) }
  },

  async getProposal({ path }, call) {
    const proposal = await proposals.find(call, path.proposalId)
    assertCanReadProposal(call, proposal)
    return { status: 200, body: proposal }
  },

  async createProposal({ body }, call) {
    assertSkillWrites(call, body.skill)
    const proposal = await call.write(async (call) => {
      const ran = await runWithDryRun(true, call, (call) => runProposal(call, body))
      return storeProposal(call, body, ran)
    })
    return { status: 201, body: proposal }
  },

  async approveProposal({ path }, call) {
    assertCanDecideProposals(call)
    const proposal = await call.write(async (call) => {
      const before = await proposals.lock(call, path.proposalId)
      assertProposedByAnother(call, before)
      assertProposalPending(before, 'approved', call.now)
      const { outcome, basis } = await runProposal(call, before)
      await assertOutcomeUnchanged(call, before, basis)
      const decided = { decidedBy: call.actor, decidedAt: call.now.toISOString() }
      const after = await proposals.update(call, before, { status: 'approved', outcome, ...decided })
      return notifyProposal(call, after, before)
    })
    return { status: 200, body: proposal }
  },

  async refuseProposal({ path, body }, call) {
    assertCanDecideProposals(call)
    const proposal = await call.write(async (call) => {
      const before = await proposals.lock(call, path.proposalId)
      assertCanReadProposal(call, before)
      assertProposalPending(before, 'refused', call.now)
      const decided = { decidedBy: call.actor, decidedAt: call.now.toISOString() }
      const decisionReason = body.reason ?? null
      const after = await proposals.update(call, before, { status: 'refused', decisionReason, ...decided })
      return notifyProposal(call, after, before)
    })
    return { status: 200, body: proposal }
  },
} satisfies Partial<Handlers>
