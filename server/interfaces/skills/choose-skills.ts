import type { ContractReader } from '../../platform/calls/call.ts'
import { validationFailed } from '../../platform/problems/problem.ts'
import { listSimilarNames } from '../../platform/problems/similar-names.ts'
import { getSkillCatalog, type Skill, toPathSegment } from './skill-catalog.ts'

/** The criteria by which a caller chooses skills. Criteria that are left out have no effect. */
export interface SkillFilter {
  names?: readonly string[]
  tag?: readonly string[]
  writes?: boolean
}

/**
 * Returns the chosen skills. Throws for an unknown name or tag, because an agent would otherwise notice the missing
 * tool only in the middle of its work. Always leaves out skills that the API key may not use.
 */
export function chooseSkills(
  call: ContractReader,
  skills: readonly Skill[],
  { names, tag, writes }: SkillFilter,
): Skill[] {
  const { contract } = call.services
  const catalogue = getSkillCatalog(contract)
  assertKnown('names', names, () => catalogue.skills.map(({ name }) => name))
  assertKnown('tag', tag, () => ['skills', ...(contract.document.tags ?? []).map(({ name }) => toPathSegment(name))])
  return skills.filter(
    (skill) =>
      (names === undefined || names.includes(skill.name)) &&
      (tag === undefined || skill.tags.some((each) => tag.includes(each))) &&
      (writes === undefined || skill.writes === writes),
  )
}

function assertKnown(pointer: string, requested: readonly string[] | undefined, known: () => string[]): void {
  if (requested === undefined) return
  const all = known()
  const strangers = requested.filter((each) => !all.includes(each))
  if (strangers.length === 0) return
  throw validationFailed(
    strangers.map((stranger) => {
      const nearest = listSimilarNames(stranger, all, MAX_SUGGESTIONS).join(', ')
      return { pointer, code: 'unknown', message: `contains the unknown name "${stranger}"; did you mean ${nearest}?` }
    }),
  )
}

const MAX_SUGGESTIONS = 3
