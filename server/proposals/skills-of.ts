import type { Proposal } from '../../client/contract.gen.ts'

/** Several skills as one; it is no skill itself. */
export const BATCH = 'executeBatch'

/** The names of the skills that a proposal would run. */
export function skillsOf({ skill, input }: Pick<Proposal, 'skill' | 'input'>): string[] {
  return skill === BATCH ? (input as { steps: { skill: string }[] }).steps.map((step) => step.skill) : [skill]
}
