import type { Proposal } from '../../../client/contract.gen.ts'
import { humanizeField } from '../../../server/platform/values/field-words.ts'
import { plumbline } from '../../api/plumbline.ts'
import { FRAME_QUERY, useCan } from '../../api/session.ts'
import { formatCount } from '../../ui/text-formats.ts'

/** The operation that runs several skills in one transaction. A batch itself is not a skill. */
export const BATCH = 'executeBatch'

/** A skill call in a proposal. A batch has several calls, in order. */
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

/** Converts the name of a skill, such as `createVendor`, to words. Used if the title of the skill is unknown. */
export function humanizeSkill(skill: string): string {
  const words = humanizeField(skill)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns the name of a proposal without loading the titles of its skills. */
export function describeProposal(proposal: Pick<Proposal, 'skill' | 'input'>): string {
  const steps = listProposedSteps(proposal)
  const [first] = steps
  if (first === undefined) return humanizeSkill(proposal.skill)
  return steps.length === 1
    ? humanizeSkill(first.skill)
    : `${formatCount(steps.length, 'step')}: ${humanizeSkill(first.skill)}…`
}

/** The time for which titles are cached. The titles of skills do not change while a user works. */
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

/** Shows the titles of the skills that a proposal would run. */
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
