import type { Call } from '../../platform/calls/call.ts'
import type { Operation } from '../../platform/calls/contract.ts'
import { Problem } from '../../platform/problems/problem.ts'
import type { ProposalMaker } from '../http/dispatch.ts'
import { runWithDryRun } from '../skills/execute-skill.ts'
import { getSkillCatalog } from '../skills/skill-catalog.ts'
import { EFFECTS, findOperationEffect } from '../skills/skill-effect.ts'
import { runAndCollectBasis, storeProposal } from './proposal.ts'
import { BATCH } from './proposal-skills.ts'

/**
 * Converts each write to a proposal if the API key may only propose changes. It performs the call, rolls it back, and
 * stores the call with its outcome. A call that the service rejects is rejected in the same way here.
 */
export const proposer: ProposalMaker = {
  concerns(operation, body, call) {
    if (DECISION_OPERATIONS.has(operation.id)) return false
    if (operation.id === 'executeSkill') {
      const { skill, dryRun } = body as { skill: string; dryRun: boolean }
      return !dryRun && isWritingSkill(call, skill)
    }
    if (operation.id === BATCH) {
      const { steps, dryRun } = body as { steps: { skill: string }[]; dryRun: boolean }
      return !dryRun && steps.some(({ skill }) => isWritingSkill(call, skill))
    }
    return EFFECTS[findOperationEffect(operation.method, operation.declaration)].writes
  },

  async propose(operation, input, call, tryOut) {
    if (operation.mostUploadBytes !== null)
      throw new Problem('permission_denied', 'A key with proposeOnly cannot upload files.')
    const requested = toProposedRun(operation, input)
    return call.write(async (call) => {
      const ran = await runWithDryRun(true, call, (call) =>
        runAndCollectBasis(call, requested, async (call) => {
          const answered = await tryOut(call)
          // For executeSkill, the outcome contains the result of the skill itself.
          return operation.id === 'executeSkill' ? (answered as { result: unknown }).result : answered
        }),
      )
      return storeProposal(call, requested, ran)
    })
  },
}

/**
 * Operations that are never proposed. Creating a proposal needs no approval, and the operations that decide on a
 * proposal check the caller themselves.
 */
const DECISION_OPERATIONS: ReadonlySet<string> = new Set(['createProposal', 'approveProposal', 'refuseProposal'])

/**
 * Returns whether the skill with this name writes. Returns false for an unknown skill, which is rejected when it runs.
 */
function isWritingSkill(call: Call, name: string): boolean {
  return getSkillCatalog(call.services.contract).skills.some((skill) => skill.name === name && skill.writes)
}

function toProposedRun(
  { id }: Operation,
  input: Record<string, unknown>,
): { skill: string; input: Record<string, unknown> } {
  if (id === 'executeSkill')
    return { skill: String(input.skill), input: (input.input ?? {}) as Record<string, unknown> }
  if (id === BATCH) return { skill: BATCH, input: { steps: input.steps } }
  return { skill: id, input }
}
