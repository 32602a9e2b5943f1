import MiniSearch from 'minisearch'
import type { Contract } from '../../platform/calls/contract.ts'
import { findCatalog, type Skill } from './skill-catalog.ts'

/**
 * Finds skills by a user's description of a task: BM25 over name, summary, typical requests, description, tags and
 * examples. It uses no model, so the same words find the same skills. Only skills that models are offered are found.
 */
export interface SkillSearch {
  /** Returns the best matches first. `mayUse` excludes what the caller may not run. */
  find(words: string, max: number, mayUse: (skill: Skill) => boolean): Skill[]
}

const searches = new WeakMap<Contract, SkillSearch>()

export function findSkillSearch(contract: Contract): SkillSearch {
  let search = searches.get(contract)
  if (search === undefined) {
    search = buildSkillSearch(contract)
    searches.set(contract, search)
  }
  return search
}

/**
 * A question has a few dozen words. Longer text is a document, and searching it takes time without improving the
 * result.
 */
const MAX_CHARACTERS = 1000

function buildSkillSearch(contract: Contract): SkillSearch {
  const catalogue = findCatalog(contract)
  const index = new MiniSearch({
    fields: ['name', 'summary', 'asked', 'description', 'tags', 'examples'],
    idField: 'name',
    tokenize: splitWords,
    processTerm: stemWord,
    searchOptions: {
      boost: { name: 3, summary: 3, asked: 3, description: 1, tags: 1, examples: 0.5 },
      processTerm: listMeanings,
    },
  })
  for (const { name, summary, description, tags, examples, asked, isTool } of catalogue.skills) {
    if (!isTool) continue
    const [asIn, said, inExamples] = [tags, asked, examples].map((texts) => texts.join(' '))
    index.add({ name, summary, asked: said, description, tags: asIn, examples: inExamples })
  }
  return {
    find(words, max, mayUse) {
      const requested = words.slice(0, MAX_CHARACTERS)
      const found = index
        .search(removeRecordNames(requested))
        .map(({ id, score }) => ({ skill: catalogue.find(String(id)), score }))
      if (IS_QUESTION.test(requested)) {
        for (const each of found) if (!each.skill.writes) each.score *= QUESTION_BOOST
        found.sort((a, b) => b.score - a.score)
      }
      return found.flatMap(({ skill }) => (mayUse(skill) ? skill : [])).slice(0, max)
    },
  }
}

/** Words that occur in every sentence do not distinguish skills. */
const STOP_WORDS = new Set(
  (
    'a an and any are as at be been but by can could did do does for from give had has have he her here his how i if in into is it its ' +
    'me my no not of on or our out please she so some than that the their them then there these they this those to up us ' +
    'want was we were what when where which who whom why will with would you your'
  ).split(' '),
)

/** A user who asks a question wants to know something, not to change it. */
const IS_QUESTION = /^\s*(?:who|whose|which|what|when|where|why|how|is|are|was|were|do|does|did|has|have|show|list)\b/i
const QUESTION_BOOST = 1.5

/** Returns the words of a text. Hyphenated words are found as one word and as two. */
function splitWords(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}]+/u).flatMap((word) => word.split(/(?<=[a-z])(?=[A-Z])/))
  return [...words, ...[...text.matchAll(/\p{L}+(?:-\p{L}+)+/gu)].map(([word]) => word.replaceAll('-', ''))]
}

/** Words of the trade for the terms of the contract. */
const SYNONYMS = stemSynonyms({
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

function stemSynonyms(words: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  const meant = new Map<string, string[]>()
  for (const [word, said] of Object.entries(words)) {
    for (const each of said.split(' ')) {
      const key = stemWord(each) ?? each
      meant.set(key, [...(meant.get(key) ?? []), stemWord(word) ?? word])
    }
  }
  return meant
}

/** Returns what a word of a question may stand for, itself first. */
function listMeanings(word: string): string[] | null {
  const own = stemWord(word)
  return own === null ? null : [own, ...(SYNONYMS.get(own) ?? [])]
}

/** Removes the names of lots and orders, which say nothing about the task. */
function removeRecordNames(words: string): string {
  return words.replace(/\blots?(?: (?:\d+|and|to)\b,?)+/gi, '').replace(/\b\S*\d\S*/g, '')
}

/** Returns the approximate stem of an English word, so that `bids`, `bidding` and `bid` match. */
function stemWord(word: string): string | null {
  const lower = word.toLowerCase()
  if (lower === '' || STOP_WORDS.has(lower)) return null
  const base = lower
    .replace(/(?<=[a-z]{3})ies$/, 'y')
    .replace(/(?<=[a-z]{3}(?:s|x|ch|sh))es$/, '')
    .replace(/(?<=[a-z]{2}[^s])s$/, '')
  const root = base.replace(/(?<=[a-z]{3})(?:ing|ed|er|ers)$/, '')
  // Consonants that are doubled before an ending, as in bidding, and a silent e at the end, as in schedule.
  return root.replace(/([b-df-hj-np-tv-z])\1$/, '$1').replace(/(?<=[a-z]{3})e$/, '')
}
