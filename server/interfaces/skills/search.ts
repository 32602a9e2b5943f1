import MiniSearch from 'minisearch'
import type { Contract } from '../../platform/calls/contract.ts'
import { catalogueOf, type Skill } from './catalogue.ts'

/**
 * Finds skills by what somebody wants done, in their own words: BM25 over name, summary, how people ask for it, description,
 * tags and examples, without a model, so that the same words find the same skills. Only skills that models are offered are
 * found.
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
    fields: ['name', 'summary', 'asked', 'description', 'tags', 'examples'],
    idField: 'name',
    tokenize: wordsOf,
    processTerm: stem,
    searchOptions: {
      boost: { name: 3, summary: 3, asked: 3, description: 1, tags: 1, examples: 0.5 },
      processTerm: meanings,
    },
  })
  for (const { name, summary, description, tags, examples, asked, isTool } of catalogue.skills) {
    if (!isTool) continue
    const [asIn, said, inExamples] = [tags, asked, examples].map((texts) => texts.join(' '))
    index.add({ name, summary, asked: said, description, tags: asIn, examples: inExamples })
  }
  return {
    find(words, most, mayUse) {
      const asked = words.slice(0, MOST_CHARACTERS)
      const found = index
        .search(withoutNames(asked))
        .map(({ id, score }) => ({ skill: catalogue.find(String(id)), score }))
      if (IS_QUESTION.test(asked)) {
        for (const each of found) if (!each.skill.writes) each.score *= READING_ANSWERS
        found.sort((a, b) => b.score - a.score)
      }
      return found.flatMap(({ skill }) => (mayUse(skill) ? skill : [])).slice(0, most)
    },
  }
}

/** What is in every sentence tells no skill from another. */
const STOP_WORDS = new Set(
  (
    'a an and any are as at be been but by can could did do does for from give had has have he her here his how i if in into is it its ' +
    'me my no not of on or our out please she so some than that the their them then there these they this those to up us ' +
    'want was we were what when where which who whom why will with would you your'
  ).split(' '),
)

/** Whoever asks a question wants to know something, not to change it. */
const IS_QUESTION = /^\s*(?:who|whose|which|what|when|where|why|how|is|are|was|were|do|does|did|has|have|show|list)\b/i
const READING_ANSWERS = 1.5

/** Words with a hyphen are found in one and in two. */
function wordsOf(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}]+/u).flatMap((word) => word.split(/(?<=[a-z])(?=[A-Z])/))
  return [...words, ...[...text.matchAll(/\p{L}+(?:-\p{L}+)+/gu)].map(([word]) => word.replaceAll('-', ''))]
}

/** What people of the trade say for what the contract calls otherwise. */
const SAID_FOR = stems({
  vendor: 'sub subcontractor contractor supplier tradesman installer',
  lead: 'visitor prospect shopper customer',
  buyer: 'customer purchaser',
  delay: 'weather rain storm snow slip',
  payment: 'invoice bill check',
  void: 'undo reverse revoke',
  execution: 'ai bot assistant robot',
  entry: 'timecard',
  price: 'quote cost',
  bid: 'quote offer',
})

function stems(words: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  const meant = new Map<string, string[]>()
  for (const [word, said] of Object.entries(words)) {
    for (const each of said.split(' ')) {
      const key = stem(each) ?? each
      meant.set(key, [...(meant.get(key) ?? []), stem(word) ?? word])
    }
  }
  return meant
}

/** What a word of a question may stand for, itself first. */
function meanings(word: string): string[] | null {
  const own = stem(word)
  return own === null ? null : [own, ...(SAID_FOR.get(own) ?? [])]
}

/** Which lot or order is meant says nothing about what is to be done with it. */
function withoutNames(words: string): string {
  return words.replace(/\blots?(?: (?:\d+|and|to)\b,?)+/gi, '').replace(/\b\S*\d\S*/g, '')
}

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
