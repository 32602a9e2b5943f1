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
 * What stands between a key that may only propose and everything that writes: the call is made as it is, undone, and
 * kept as a proposal with what it would have done. What is refused is refused as it would be without this.
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
          // Of executeSkill, what the skill returned.
          return operation.id === 'executeSkill' ? (answered as { result: unknown }).result : answered
        }),
      )
      return keep(call, wanted, ran)
    })
  },
}

/** Making a proposal needs no approval, and who may decide one is said where it is decided. */
const DECIDES_ITSELF: ReadonlySet<string> = new Set(['createProposal', 'approveProposal', 'refuseProposal'])

/** A skill that does not exist writes nothing, and is refused when it is run. */
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
