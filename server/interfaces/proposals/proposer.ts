import type { Call } from '../../platform/calls/call.ts'
import type { Operation } from '../../platform/calls/contract.ts'
import { Problem } from '../../platform/problems/problem.ts'
import type { Proposer } from '../http/dispatch.ts'
import { catalogueOf } from '../skills/catalogue.ts'
import { EFFECTS, effectOf } from '../skills/effect.ts'
import { undoneIf } from '../skills/execute.ts'
import { keep, watch } from './proposal.ts'
import { BATCH } from './skills-of.ts'

/**
 * Turns each write of a key that may only propose into a proposal: the call is run, rolled back, and stored with its
 * outcome. A call that would be rejected anyway is rejected in the same way.
 */
export const proposer: Proposer = {
  concerns(operation, body, call) {
    if (DECIDES_ITSELF.has(operation.id)) return false
    if (operation.id === 'executeSkill') {
      const { skill, dryRun } = body as { skill: string; dryRun: boolean }
      return !dryRun && writes(call, skill)
    }
    if (operation.id === BATCH) {
      const { steps, dryRun } = body as { steps: { skill: string }[]; dryRun: boolean }
      return !dryRun && steps.some(({ skill }) => writes(call, skill))
    }
    return EFFECTS[effectOf(operation.method, operation.declaration)].writes
  },

  async propose(operation, input, call, tryOut) {
    if (operation.mostUploadBytes !== null)
      throw new Problem('permission_denied', 'A key with proposeOnly cannot upload files.')
    const wanted = wantedOf(operation, input)
    return call.write(async (call) => {
      const ran = await undoneIf(true, call, (call) =>
        watch(call, wanted, async (call) => {
          const answered = await tryOut(call)
          // For executeSkill, the result of the skill itself.
          return operation.id === 'executeSkill' ? (answered as { result: unknown }).result : answered
        }),
      )
      return keep(call, wanted, ran)
    })
  },
}

/** Creating a proposal needs no approval, and the operations that decide one check the caller themselves. */
const DECIDES_ITSELF: ReadonlySet<string> = new Set(['createProposal', 'approveProposal', 'refuseProposal'])

/** An unknown skill writes nothing, and is rejected when it is run. */
function writes(call: Call, name: string): boolean {
  return catalogueOf(call.surroundings.contract).skills.some((skill) => skill.name === name && skill.writes)
}

function wantedOf(
  { id }: Operation,
  input: Record<string, unknown>,
): { skill: string; input: Record<string, unknown> } {
  if (id === 'executeSkill')
    return { skill: String(input.skill), input: (input.input ?? {}) as Record<string, unknown> }
  if (id === BATCH) return { skill: BATCH, input: { steps: input.steps } }
  return { skill: id, input }
}
