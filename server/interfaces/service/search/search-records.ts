import type { SearchAnswer, SearchHit, SearchType } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { SEARCHED_KINDS, type SearchedKind } from '../../../platform/search/indexed-kinds.ts'
import { isTypoTolerant, listTypoVariants, toQueryWords } from '../../../platform/search/search-words.ts'
import {
  confirmWordHits,
  findDisplayedHits,
  findSimilarWords,
  findWordHits,
  MAX_HITS,
  type SearchWord,
  type UncheckedWord,
  type WordHit,
} from './queries.ts'

interface SearchQuery {
  q: string
  types?: readonly SearchType[] | undefined
  limit: number
}

/** The score of a record that contains the typed word, a longer word with this prefix, or a similar word. */
const SCORES = { whole: 4, beginning: 2, similar: 1 } as const

/** The maximum number of similar words that replace a misspelled word. */
const MAX_SIMILAR = 5

/**
 * Returns the records that contain all words, best match first. Includes only the kinds of records that the caller may
 * read.
 */
export async function searchRecords(call: Call, { q, types, limit }: SearchQuery): Promise<SearchAnswer> {
  const requested = SEARCHED_KINDS.filter(({ type }) => types === undefined || types.includes(type))
  const kinds = requested.filter(({ permission }) => call.permissions.has(permission))
  const notSearched = requested.filter((kind) => !kinds.includes(kind)).map(({ type }) => type)
  const words = toQueryWords(q)
  const looked: SearchWord[] = words.map((word, place) => ({ place, word, isBeginning: true }))
  const hits = await findWordHits(call, kinds, looked)
  const corrected = await findSimilar(
    call,
    looked.filter(({ place }) => !hits.some((hit) => hit.place === place)),
  )
  const all = [...looked, ...corrected]
  hits.push(...(await findWordHits(call, kinds, corrected)).map((hit) => ({ ...hit, isSimilar: true })))
  const ofKind = Map.groupBy(hits, (hit) => hit.kind)
  const candidates =
    words.length === 0 ? [] : kinds.map((kind) => collectCandidates(kind, ofKind.get(kind.type) ?? [], words.length))
  // Checks all kinds in one statement, because one statement for each kind would take longer than all lookups.
  const have = Map.groupBy(
    await confirmWordHits(
      call,
      candidates.flatMap(({ inDoubt }) => inDoubt),
      all,
    ),
    ({ id }) => id,
  )
  const ranked = candidates.flatMap((each) => filterByAllWords(each, have))
  const isPartial = candidates.some(({ isCut }) => isCut)
  // If scores are equal, a vendor comes before its bids and orders, which match because of the vendor's name. Then
  // newer records come first; IDs sort in order of creation.
  ranked.sort(
    (a, b) =>
      b.score - a.score || SEARCHED_KINDS.indexOf(a.kind) - SEARCHED_KINDS.indexOf(b.kind) || (a.id < b.id ? 1 : -1),
  )
  return {
    data: await toSearchHits(call, ranked.slice(0, limit)),
    isPartial: isPartial || ranked.length > limit,
    corrections: words.flatMap((word, place) => {
      const to = corrected.filter((one) => one.place === place).map((one) => one.word)
      return to.length === 0 ? [] : [{ word, to }]
    }),
    notSearched,
  }
}

interface RankedHit {
  id: string
  kind: SearchedKind
  score: number
}

async function findSimilar(call: Call, missing: readonly SearchWord[]): Promise<SearchWord[]> {
  const found: SearchWord[] = []
  for (const { place, word } of missing) {
    if (!isTypoTolerant(word)) continue
    const words = await findSimilarWords(call, listTypoVariants(word))
    found.push(...words.slice(0, MAX_SIMILAR).map((other) => ({ place, word: other, isBeginning: false })))
  }
  return found
}

/** Records of one kind that may contain all of the words. */
interface Candidates {
  kind: SearchedKind
  ids: readonly string[]
  /** The scores of the records by ID. The list has a map for each word of the query. */
  scores: readonly Map<string, number>[]
  /** The records, each with a word, for which it is still unknown whether the record contains the word. */
  inDoubt: UncheckedWord[]
  /** Whether other records may also contain all words. */
  isCut: boolean
}

/**
 * Returns the records that contain the rarest word. For a word with too many hits, only the first hits were read, so
 * other records may also contain it. If all words have too many hits, the search may miss records, and the response
 * says so.
 */
function collectCandidates(
  kind: SearchedKind,
  hits: readonly (WordHit & { isSimilar?: boolean })[],
  count: number,
): Candidates {
  const scores = Array.from({ length: count }, () => new Map<string, number>())
  const isFull = Array.from({ length: count }, () => false)
  for (const [place, own] of Map.groupBy(hits, (hit) => hit.place)) {
    const scored = scores[place]
    for (const { id, isWhole, isSimilar } of own) {
      const score = isSimilar ? SCORES.similar : isWhole ? SCORES.whole : SCORES.beginning
      scored?.set(id, Math.max(score, scored.get(id) ?? 0))
    }
    isFull[place] = own.length >= MAX_HITS
  }
  const places = scores.map((_, place) => place)
  const rarest = places.toSorted(
    (a, b) => Number(isFull[a]) - Number(isFull[b]) || (scores[a]?.size ?? 0) - (scores[b]?.size ?? 0),
  )[0]
  const ids = [...(scores[rarest ?? 0]?.keys() ?? [])]
  // If all hits of a word were read, records that are not among them do not contain the word.
  const possible = ids.filter((id) => places.every((place) => isFull[place] === true || scores[place]?.has(id)))
  const inDoubt = possible.flatMap((id) =>
    places.flatMap((place) => (scores[place]?.has(id) === true ? [] : [{ id, place }])),
  )
  return { kind, ids: possible, scores, inDoubt, isCut: isFull[rarest ?? 0] === true }
}

/** Returns the records that contain all words, after the additional check. */
function filterByAllWords(
  { kind, ids, scores }: Candidates,
  have: ReadonlyMap<string, readonly UncheckedWord[]>,
): RankedHit[] {
  return ids.flatMap((id) => {
    const found = have.get(id) ?? []
    const each = scores.map((scored, place) => {
      const isFound = found.some((one) => one.place === place)
      return scored.get(id) ?? (isFound ? SCORES.beginning : 0)
    })
    return each.every((score) => score > 0) ? [{ id, kind, score: each.reduce((sum, score) => sum + score, 0) }] : []
  })
}

async function toSearchHits(call: Call, ranked: readonly RankedHit[]): Promise<SearchHit[]> {
  const rows = new Map<string, SearchHit>()
  for (const [kind, own] of Map.groupBy(ranked, (one) => one.kind)) {
    const ids = own.map(({ id }) => id)
    for (const row of await findDisplayedHits(call, kind, ids)) rows.set(row.id, { type: kind.type, ...row })
  }
  // Leaves out records that were archived after they were indexed.
  return ranked.flatMap(({ id }) => rows.get(id) ?? [])
}
