import type { Proposal } from '../../../client/contract.gen.ts'
import { OF_THE_FRAME, useMay } from '../../api/caller.ts'
import { plumbline } from '../../api/plumbline.ts'
import { fieldInWords } from '../../ui/history.tsx'
import { count } from '../../ui/words.ts'

/** Several skills as one, which is no skill itself. */
export const BATCH = 'executeBatch'

/** One thing that is proposed; a batch has several, in their order. */
export interface Step {
  key: string
  skill: string
  input: Readonly<Record<string, unknown>>
}

export function stepsOf({ skill, input }: Pick<Proposal, 'skill' | 'input'>): Step[] {
  if (skill !== BATCH) return [{ key: skill, skill, input }]
  const { steps } = input as { steps: { name: string; skill: string; input?: Step['input'] }[] }
  return steps.map((step) => ({ key: step.name, skill: step.skill, input: step.input ?? {} }))
}

/** `createVendor` as people say it, where its title is not known. */
export function skillInWords(skill: string): string {
  const words = fieldInWords(skill)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What a proposal is called where there is no time to ask for titles. */
export function proposalInWords(proposal: Pick<Proposal, 'skill' | 'input'>): string {
  const steps = stepsOf(proposal)
  const [first] = steps
  if (first === undefined) return skillInWords(proposal.skill)
  return steps.length === 1
    ? skillInWords(first.skill)
    : `${count(steps.length, 'step')}: ${skillInWords(first.skill)}…`
}

/** A skill's title does not change while somebody works. */
const FRESH_MS = 3_600_000

/** The title of a skill, as the catalogue of skills has it. */
export function useSkillTitle(skill: string): string {
  const may = useMay()
  const { data } = plumbline.useQuery(
    'get',
    '/api/ext/skills/{skillName}',
    { params: { path: { skillName: skill } } },
    { enabled: may('skills:read') && skill !== BATCH, staleTime: FRESH_MS, meta: OF_THE_FRAME },
  )
  return data?.summary ?? skillInWords(skill)
}

export function SkillTitle({ of }: { of: string }) {
  return useSkillTitle(of)
}

/** What a proposal would do, by the titles of its skills. */
export function ProposalTitle({ of }: { of: Pick<Proposal, 'skill' | 'input'> }) {
  const steps = stepsOf(of)
  const [first] = steps
  if (first === undefined) return skillInWords(of.skill)
  return (
    <>
      <SkillTitle of={first.skill} />
      {steps.length > 1 && `, and ${count(steps.length - 1, 'more step')}`}
    </>
  )
}
