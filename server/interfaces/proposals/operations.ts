import type { Handlers } from '../../platform/calls/operation.ts'
import { runnable } from '../skills/catalogue.ts'
import { undoneIf } from '../skills/execute.ts'
import {
  assertDecides,
  assertProposedByAnother,
  assertUnchanged,
  assertWaits,
  assertWrites,
  keep,
  permitReading,
  run,
} from './proposal.ts'
import * as proposals from './queries.ts'
import { tell } from './tell.ts'

export const proposalOperations = {
  async listProposals({ query }, call) {
    const shown = { ...query, runnable: runnable(call) }
    return { status: 200, body: await proposals.list(call, shown) }
  },

  async getProposal({ path }, call) {
    const proposal = await proposals.find(call, path.proposalId)
    permitReading(call, proposal)
    return { status: 200, body: proposal }
  },

  async createProposal({ body }, call) {
    assertWrites(call, body.skill)
    const proposal = await call.write(async (call) => {
      const ran = await undoneIf(true, call, (call) => run(call, body))
      return keep(call, body, ran)
    })
    return { status: 201, body: proposal }
  },

  async approveProposal({ path }, call) {
    assertDecides(call)
    const proposal = await call.write(async (call) => {
      const before = await proposals.lock(call, path.proposalId)
      assertProposedByAnother(call, before)
      assertWaits(before, 'approved', call.now)
      const { outcome, basis } = await run(call, before)
      await assertUnchanged(call, before, basis)
      const decided = { decidedBy: call.actor, decidedAt: call.now.toISOString() }
      const after = await proposals.update(call, before, { status: 'approved', outcome, ...decided })
      return tell(call, after, before)
    })
    return { status: 200, body: proposal }
  },

  async refuseProposal({ path, body }, call) {
    assertDecides(call)
    const proposal = await call.write(async (call) => {
      const before = await proposals.lock(call, path.proposalId)
      permitReading(call, before)
      assertWaits(before, 'refused', call.now)
      const decided = { decidedBy: call.actor, decidedAt: call.now.toISOString() }
      const decisionReason = body.reason ?? null
      const after = await proposals.update(call, before, { status: 'refused', decisionReason, ...decided })
      return tell(call, after, before)
    })
    return { status: 200, body: proposal }
  },
} satisfies Partial<Handlers>
