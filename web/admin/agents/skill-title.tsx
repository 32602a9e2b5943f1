import type { Proposal } from '../../../client/contract.gen.ts'
import { humanizeField } from '../../../server/platform/values/field-words.ts'
import { plumbline } from '../../api/plumbline.ts'
import { FRAME_QUERY, useCan } from '../../api/session.ts'
import { formatCount } from '../../ui/text-formats.ts'

/** The operation that runs several skills as one. A batch is not a skill itself. */
export const BATCH = 'executeBatch'

/** A single proposed skill call. A batch has several calls, in order. */
export interface ProposedStep {
  key: string
  skill: string
  input: Readonly<Record<string, unknown>>
}

export function listProposedSteps({ skill, input }: Pick<Proposal, 'skill' | 'input'>): ProposedStep[] {
  if (skill !== BATCH) return [{ key: skill, skill, input }]
  const { steps } = input as { steps: { name: string; skill: string; input?: ProposedStep['input'] }[] }
  return steps.map((step) => ({ key: step.name, skill: step.skill, input: step.input ?? {} }))
}

/** Converts a skill's name such as `createVendor` to words, for use when its title is unknown. */
export function humanizeSkill(skill: string): string {
  const words = humanizeField(skill)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns the name of a proposal where there is no time to load titles. */
export function describeProposal(proposal: Pick<Proposal, 'skill' | 'input'>): string {
  const steps = listProposedSteps(proposal)
  const [first] = steps
  if (first === undefined) return humanizeSkill(proposal.skill)
  return steps.length === 1
    ? humanizeSkill(first.skill)
    : `${formatCount(steps.length, 'step')}: ${humanizeSkill(first.skill)}…`
}

/** Titles are cached for this time, because the titles of skills do not change while a user works. */
const TITLE_CACHE_MS = 3_600_000

/** Returns the title of a skill from the skill catalog. */
export function useSkillTitle(skill: string): string {
  const can = useCan()
  const { data } = plumbline.useQuery(
    'get',
    '/api/ext/skills/{skillName}',
    { params: { path: { skillName: skill } } },
    { enabled: can('skills:read') && skill !== BATCH, staleTime: TITLE_CACHE_MS, meta: FRAME_QUERY },
  )
  return data?.summary ?? humanizeSkill(skill)
}

export function SkillTitle({ of }: { of: string }) {
  return useSkillTitle(of)
}

/** Shows the effect of a proposal, by the titles of its skills. */
export function ProposalTitle({ of }: { of: Pick<Proposal, 'skill' | 'input'> }) {
  const steps = listProposedSteps(of)
  const [first] = steps
  if (first === undefined) return humanizeSkill(of.skill)
  return (
    <>
      <SkillTitle of={first.skill} />
      {steps.length > 1 && `, and ${formatCount(steps.length - 1, 'more step')}`}
    </>
  )
}
