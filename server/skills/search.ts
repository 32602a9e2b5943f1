import MiniSearch from 'minisearch'
import type { Contract } from '../http/contract.ts'
import { catalogueOf, type Skill } from './catalogue.ts'

/**
 * Finds skills by what somebody wants done, in their own words: BM25 over name, summary, description, tags and examples,
 * without a model, so that the same words find the same skills. Only skills that models are offered are found.
 */
export interface SkillSearch {
  /** The best first; `mayUse` leaves out what the caller may not run. */
  find(words: string, most: number, mayUse: (skill: Skill) => boolean): Skill[]
}

const searches = new WeakMap<Contract, SkillSearch>()

export function skillSearchOf(contract: Contract): SkillSearch {
  let search = searches.get(contract)
  if (search === undefined) {
    search = indexed(contract)
    searches.set(contract, search)
  }
  return search
}

/** A question has a few dozen words; what is longer is a document, and costs time for nothing. */
const MOST_CHARACTERS = 1000

function indexed(contract: Contract): SkillSearch {
  const catalogue = catalogueOf(contract)
  const index = new MiniSearch({
    fields: ['name', 'summary', 'description', 'tags', 'examples'],
    idField: 'name',
    tokenize: (text) => text.split(/[^\p{L}\p{N}]+/u).flatMap((word) => word.split(/(?<=[a-z])(?=[A-Z])/)),
    processTerm: stem,
    searchOptions: { boost: { name: 3, summary: 3, description: 1, tags: 1, examples: 0.5 } },
  })
  for (const { name, summary, description, tags, examples, isTool } of catalogue.skills) {
    if (isTool) index.add({ name, summary, description, tags: tags.join(' '), examples: examples.join(' ') })
  }
  return {
    find(words, most, mayUse) {
      const found = index
        .search(withoutNames(words.slice(0, MOST_CHARACTERS)))
        .map(({ id }) => catalogue.find(String(id)))
      return found.filter(mayUse).slice(0, most)
    },
  }
}

/** Which lot or order is meant says nothing about what is to be done with it. */
function withoutNames(words: string): string {
  return words.replace(/\blots?(?: (?:\d+|and|to)\b,?)+/gi, '').replace(/\b\S*\d\S*/g, '')
}

/** What is in every sentence tells no skill from another. */
const STOP_WORDS = new Set(
  (
    'a an and any are as at be been but by can could did do does for from give had has have he her here his how i if in into is it its ' +
    'me my no not of on or our out please she so some than that the their them then there these they this those to up us ' +
    'want was we were what when where which who whom why will with would you your'
  ).split(' '),
)

/** The stem of an English word, roughly: enough that `bids`, `bidding` and `bid` meet. */
function stem(word: string): string | null {
  const lower = word.toLowerCase()
  if (lower === '' || STOP_WORDS.has(lower)) return null
  const base = lower
    .replace(/(?<=[a-z]{3})ies$/, 'y')
    .replace(/(?<=[a-z]{3}(?:s|x|ch|sh))es$/, '')
    .replace(/(?<=[a-z]{2}[^s])s$/, '')
  const root = base.replace(/(?<=[a-z]{3})(?:ing|ed|er|ers)$/, '')
  // Doubled before an ending, as in bidding, and silent at the end, as in schedule.
  return root.replace(/([b-df-hj-np-tv-z])\1$/, '$1').replace(/(?<=[a-z]{3})e$/, '')
}
