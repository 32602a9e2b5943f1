import type { Proposal } from '../../../client/contract.gen.ts'
import type { Checked } from '../../platform/calls/checked.gen.ts'

/** Several skills as one; it is no skill itself. */
export const BATCH = 'executeBatch'

/** The names of the skills that a proposal would run. */
export function skillsOf({ skill, input }: Pick<Proposal, 'skill' | 'input'>): string[] {
  return stepsOf({ skill, input }).map((step) => step.skill)
}

/** The steps that a proposal would run; a single skill is one step. */
export function stepsOf({ skill, input }: Pick<Proposal, 'skill' | 'input'>): Checked['ExecuteBatch']['steps'] {
  return skill === BATCH ? (input as Checked['ExecuteBatch']).steps : [{ name: skill, skill, input }]
}
