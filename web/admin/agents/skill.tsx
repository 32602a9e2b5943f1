import type { Proposal } from '../../../client/contract.gen.ts'
import { OF_THE_FRAME, useMay } from '../../api/caller.ts'
import { plumbline } from '../../api/plumbline.ts'
import { fieldInWords } from '../../ui/history.tsx'
import { count } from '../../ui/words.ts'

/** Runs several skills as one. It is not a skill itself. */
export const BATCH = 'executeBatch'

/** One proposed skill call. A batch has several, in order. */
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

/** Turns a skill's name such as `createVendor` into words, for when its title is unknown. */
export function skillInWords(skill: string): string {
  const words = fieldInWords(skill)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns the name of a proposal where there is no time to load titles. */
export function proposalInWords(proposal: Pick<Proposal, 'skill' | 'input'>): string {
  const steps = stepsOf(proposal)
  const [first] = steps
  if (first === undefined) return skillInWords(proposal.skill)
  return steps.length === 1
    ? skillInWords(first.skill)
    : `${count(steps.length, 'step')}: ${skillInWords(first.skill)}…`
}

/** Cached this long, because the titles of skills do not change while somebody works. */
const FRESH_MS = 3_600_000

/** Returns the title of a skill from the skill catalog. */
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

/** Shows what a proposal would do, by the titles of its skills. */
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
