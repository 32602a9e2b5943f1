import type { Reader } from '../../platform/calls/call.ts'
import { nearestTo } from '../../platform/problems/nearest.ts'
import { invalid } from '../../platform/problems/problem.ts'
import { catalogueOf, inAddress, type Skill } from './catalogue.ts'

/** A choice of skills. Omitted criteria do not restrict it. */
export interface Wanted {
  names?: readonly string[]
  tag?: readonly string[]
  writes?: boolean
}

/**
 * Returns the chosen skills. An unknown name or tag is rejected, because a job would otherwise notice the missing tool
 * only halfway through. Skills that the key may not use are left out, as they are without a choice.
 */
export function chosen(call: Reader, skills: readonly Skill[], { names, tag, writes }: Wanted): Skill[] {
  const { contract } = call.surroundings
  const catalogue = catalogueOf(contract)
  assertKnown('names', names, () => catalogue.skills.map(({ name }) => name))
  assertKnown('tag', tag, () => ['skills', ...(contract.document.tags ?? []).map(({ name }) => inAddress(name))])
  return skills.filter(
    (skill) =>
      (names === undefined || names.includes(skill.name)) &&
      (tag === undefined || skill.tags.some((each) => tag.includes(each))) &&
      (writes === undefined || skill.writes === writes),
  )
}

function assertKnown(pointer: string, wanted: readonly string[] | undefined, known: () => string[]): void {
  if (wanted === undefined) return
  const all = known()
  const strangers = wanted.filter((each) => !all.includes(each))
  if (strangers.length === 0) return
  throw invalid(
    strangers.map((stranger) => {
      const nearest = nearestTo(stranger, all, MOST_NEAREST).join(', ')
      return { pointer, code: 'unknown', message: `contains the unknown name "${stranger}"; did you mean ${nearest}` }
    }),
  )
}

const MOST_NEAREST = 3
