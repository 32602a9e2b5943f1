import type { Proposal } from '../../../client/contract.gen.ts'
import type { Checked } from '../../platform/calls/checked.gen.ts'

/** The operation that runs several skills in one transaction. A batch is not a skill itself. */
export const BATCH = 'executeBatch'

/** Returns the names of the skills that a proposal would run. */
export function listProposalSkills({ skill, input }: Pick<Proposal, 'skill' | 'input'>): string[] {
  return listProposalSteps({ skill, input }).map((step) => step.skill)
}

/** Returns the steps that a proposal would run. A proposal of a single skill has one step. */
export function listProposalSteps({
  skill,
  input,
}: Pick<Proposal, 'skill' | 'input'>): Checked['ExecuteBatch']['steps'] {
  return skill === BATCH ? (input as Checked['ExecuteBatch']).steps : [{ name: skill, skill, input }]
}
