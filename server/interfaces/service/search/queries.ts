import { sql } from 'kysely'
import type { Tenant } from '../../../platform/calls/call.ts'
import { type SearchedKind, toArchivedConditionSql } from '../../../platform/search/indexed-kinds.ts'
import { computePrefixEnd } from '../../../platform/search/search-words.ts'

/** A word to look up: a word from the query, or a similar word that replaces a misspelled one. */
export interface SearchWord {
  /** The position in the query of the word that this word represents. */
  place: number
  word: string
  /** Whether longer words with this prefix also match. */
  isBeginning: boolean
}

export interface WordHit {
  place: number
  kind: string
  id: string
  isWhole: boolean
}

/**
 * The maximum number of hits per kind and word. Newer records come first. A word with more hits hardly narrows the
 * search.
 */
export const MAX_HITS = 200

/** Returns the records that contain the words. Matches of whole words come before matches of prefixes. */
export async function findWordHits(
  { db, organizationId }: Tenant,
  kinds: readonly SearchedKind[],
  looked: readonly SearchWord[],
): Promise<WordHit[]> {
  if (looked.length === 0) return []
  const { rows } = await sql<WordHit>`
    select w."place", k."kind", s."recordId" as "id", s."word" = w."word" as "isWhole"
    from ${unnestWords(looked)} cross join unnest(${kinds.map(({ type }) => type)}::text[]) as k ("kind")
    cross join lateral (
      select s."recordId", s."word" from "searchWords" as s
      where s."organizationId" = ${organizationId} and s."kind" = k."kind" and s."word" >= w."word" and s."word" < w."end"
      order by s."word", s."recordId" desc limit ${MAX_HITS}) as s`.execute(db)
  return rows
}

/** A record that may contain a word, and the position of the word in the query. */
export interface UncheckedWord {
  id: string
  place: number
}

/**
 * Checks which of the given records contain their word, and returns these records. Needed for words that have more hits
 * than were read.
 */
export async function confirmWordHits(
  { db, organizationId }: Tenant,
  doubts: readonly UncheckedWord[],
  looked: readonly SearchWord[],
): Promise<UncheckedWord[]> {
  if (doubts.length === 0) return []
  const { rows } = await sql<UncheckedWord>`
    select d."id", d."place"
    from unnest(${doubts.map(({ id }) => id)}::text[], ${doubts.map(({ place }) => place)}::integer[]) as d ("id", "place")
    join ${unnestWords(looked)} on w."place" = d."place"
    where exists (
      select from "searchWords" as s where s."organizationId" = ${organizationId} and s."recordId" = d."id"
        and s."word" >= w."word" and s."word" < w."end")`.execute(db)
  return rows
}

const unnestWords = (looked: readonly SearchWord[]) => sql`
  unnest(${looked.map(({ place }) => place)}::integer[], ${looked.map(({ word }) => word)}::text[],
    ${looked.map(({ word, isBeginning }) => (isBeginning ? computePrefixEnd(word) : `${word}\u0001`))}::text[])
    as w ("place", "word", "end")`

/** Returns the indexed words that match one of the variants. */
export async function findSimilarWords({ db, organizationId }: Tenant, variants: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ word: string }>`
    select distinct "word" from "searchVariants"
    where "organizationId" = ${organizationId} and "variant" = any(${[...variants]}::text[]) order by "word" limit 20`.execute(
    db,
  )
  return rows.map(({ word }) => word)
}

export interface DisplayedHit {
  id: string
  title: string
  detail: string | null
  status: string
}

export async function findDisplayedHits(
  { db, organizationId }: Tenant,
  kind: SearchedKind,
  ids: readonly string[],
): Promise<DisplayedHit[]> {
  const { rows } = await sql<DisplayedHit>`
    select t."id", ${sql.raw(kind.title)} as "title", ${sql.raw(kind.detail)} as "detail", ${sql.raw(kind.status)} as "status"
    from ${sql.table(kind.table)} as t ${sql.raw(kind.join ?? '')}
    where t."organizationId" = ${organizationId} and t."id" = any(${[...ids]}::text[]) and not ${sql.raw(toArchivedConditionSql(kind))}`.execute(
    db,
  )
  return rows
}
