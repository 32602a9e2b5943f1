import MiniSearch, { type SearchOptions } from 'minisearch'
import type { Contract } from '../../platform/calls/contract.ts'
import { getSkillCatalog, type Skill } from './skill-catalog.ts'
import { extractTerms, type SearchTerms } from './skill-words.ts'

/**
 * Finds skills by a user's description of a task, with the ranking function BM25. Two scores determine the rank of a
 * skill: how well all its texts match, and how well its most similar phrase matches. The search uses no AI model, so
 * the same words always find the same skills. It finds only skills that models can use.
 */
export interface SkillSearch {
  /** Returns at most `max` matching skills, best match first. Leaves out skills for which `mayUse` returns false. */
  find(words: string, max: number, mayUse: (skill: Skill) => boolean): Skill[]
}

const searches = new WeakMap<Contract, SkillSearch>()

export function getSkillSearch(contract: Contract): SkillSearch {
  let search = searches.get(contract)
  if (search === undefined) {
    search = buildSkillSearch(contract)
    searches.set(contract, search)
  }
  return search
}

/**
 * The maximum length of a request. A question has a few dozen words. A longer text is a document, which takes longer to
 * search for and does not improve the result.
 */
const MAX_CHARACTERS = 1000

/** The library gets texts that are already split into terms, with one term on each line. */
const BY_LINE = { tokenize: (text: string) => text.split('\n'), processTerm: (term: string) => term }
const WEIGHTS = { name: 3, summary: 3, phrases: 3, description: 2, tags: 1, examples: 0.5 }
const PHRASE_SHARE = 0.4

function buildSkillSearch(contract: Contract): SkillSearch {
  const skills = new Map<string, Skill>()
  const bySkill = new MiniSearch({ fields: Object.keys(WEIGHTS), ...BY_LINE })
  const byPhrase = new MiniSearch({ fields: ['phrase'], ...BY_LINE })
  const phraseOwners: string[] = []
  for (const skill of getSkillCatalog(contract).skills) {
    if (!skill.isTool) continue
    const { name, summary, description, tags, examples, phrases } = skill
    skills.set(name, skill)
    const texts = {
      name,
      summary,
      description,
      phrases: phrases.join(' '),
      tags: tags.join(' '),
      examples: examples.join(' '),
    }
    const fields = Object.entries(texts).map(([field, text]) => [field, toLines(text)] as const)
    bySkill.add({ id: name, ...Object.fromEntries(fields) })
    for (const phrase of [...phrases, summary, name]) {
      byPhrase.add({ id: phraseOwners.length, phrase: toLines(phrase) })
      phraseOwners.push(name)
    }
  }
  return {
    find(words, max, mayUse) {
      const request = words.slice(0, MAX_CHARACTERS)
      const terms = extractTerms(request)
      const scores = toShares(scoreDocuments(bySkill, terms, { boost: WEIGHTS }))
      const best = new Map<string, number>()
      for (const [phrase, score] of scoreDocuments(byPhrase, terms)) {
        const owner = phraseOwners[Number(phrase)] ?? ''
        best.set(owner, Math.max(best.get(owner) ?? 0, score))
      }
      for (const [name, share] of toShares(best)) scores.set(name, (scores.get(name) ?? 0) + PHRASE_SHARE * share)
      return [...skills.values()]
        .map((skill) => ({ skill, score: (scores.get(skill.name) ?? 0) * boostFor(request, skill) }))
        .filter(({ skill, score }) => score > 0 && mayUse(skill))
        .sort((a, b) => b.score - a.score)
        .slice(0, max)
        .map(({ skill }) => skill)
    },
  }
}

function toLines(text: string): string {
  const { words, pairs } = extractTerms(text)
  return [...words, ...pairs].join('\n')
}

/**
 * Returns the scores of the documents that contain a term. The score is the sum of the scores of the terms, multiplied
 * by the number of query words in the document. A document with most of the words therefore ranks above a document with
 * a single rare word.
 */
function scoreDocuments(
  index: MiniSearch,
  { words, pairs }: SearchTerms,
  options: SearchOptions = {},
): Map<string, number> {
  const sums = new Map<string, number>()
  const counts = new Map<string, number>()
  for (const term of [...words, ...pairs]) {
    for (const { id, score } of index.search(term, { ...options, ...BY_LINE })) {
      sums.set(String(id), (sums.get(String(id)) ?? 0) + score)
      if (!term.includes(' ')) counts.set(String(id), (counts.get(String(id)) ?? 0) + 1)
    }
  }
  return new Map([...sums].map(([id, sum]) => [id, sum * (counts.get(id) ?? 1)]))
}

/** Returns the scores as fractions of the highest score. */
function toShares(scores: ReadonlyMap<string, number>): Map<string, number> {
  const highest = Math.max(...scores.values())
  return new Map([...scores].map(([id, score]) => [id, score / highest]))
}

/**
 * Returns the factor by which the score of a skill is multiplied. A question asks for information, so skills that write
 * get a lower factor. An instruction may ask for information or for a change.
 */
function boostFor(request: string, { writes }: Skill): number {
  if (IS_HOW_TO.test(request)) return 1
  if (IS_QUESTION.test(request)) return writes ? 1 : QUESTION_BOOST
  return writes && !request.includes('?') ? ORDER_BOOST : 1
}

const IS_QUESTION = /^\s*(?:who|whose|which|what|when|where|why|how|is|are|was|were|do|does|did|has|have|show|list)\b/i
/** Matches requests such as "how do I add a vendor", which may ask for information or for a change. */
const IS_HOW_TO = /^\s*(?:how (?:to|do (?:i|we|you))|where (?:can|do) (?:i|we))\b/i
const QUESTION_BOOST = 1.5
const ORDER_BOOST = 1.2
