import { CompiledQuery } from 'kysely'
import type { Tenant } from '../calls/call.ts'
import { computePrefixEnd } from './search-words.ts'

/** The start of a page in a list that is sorted by ID. */
export interface PageStart {
  isDescending: boolean
  /** The ID of the last record on the previous page; null for the first page. */
  after: string | null
}

/** For a list with another order, for which only the existence of matching records matters. */
export const FROM_FIRST: PageStart = { isDescending: true, after: null }

/**
 * The maximum number of different words with the requested beginning. If there are more, for example for a single
 * letter, matches occur throughout the list, so skipping a part of it would not help.
 */
const MAX_WORDS = 50

/**
 * The maximum number of jumps between records with different words. If more are necessary, the search reads the list
 * instead.
 */
const MAX_LEAPS = 8

/**
 * Returns the ID up to which a page can skip the list, because no earlier record contains all words; null if no record
 * contains all of them. For example, the orders of a vendor that worked years ago can be followed by tens of thousands
 * of orders of other vendors. Looks up the next record with each word, and continues from the furthest of these
 * records, until all words lead to the same record.
 */
export async function findNearestMatchId(
  tenant: Tenant,
  kinds: readonly string[],
  words: readonly string[],
  { isDescending, after }: PageStart,
): Promise<string | null> {
  let from = after ?? (isDescending ? computePrefixEnd('') : '')
  for (let leap = 0; leap < MAX_LEAPS; leap++) {
    const nearest = await findNearestPerWord(tenant, kinds, words, { isDescending, after: from })
    if (nearest.includes(null)) return null
    const known = nearest.filter((id) => typeof id === 'string')
    const furthest = getFirstId([from, ...known], { isDescending: !isDescending })
    if (known.every((id) => id === furthest)) return furthest
    from = furthest
  }
  return from
}

/** Returns the ID that is first in the list. There must be at least one ID. */
export function getFirstId(ids: readonly string[], { isDescending }: Pick<PageStart, 'isDescending'>): string {
  return ids.reduce((one, other) => (one > other === isDescending ? one : other))
}

/** Returns the SQL condition for IDs at or after the given ID in the list. */
export function toIdConditionSql(
  id: string,
  { isDescending }: Pick<PageStart, 'isDescending'>,
  provided: string,
): string {
  return `${id} ${isDescending ? '<=' : '>='} ${provided}`
}

/** Returns the IDs that are after the start of the page in the list. */
export function filterIdsAfterStart(start: PageStart, ids: readonly string[]): string[] {
  const { after } = start
  return ids.filter((id) => after === null || getFirstId([after, id], start) === after)
}

/**
 * For each word, returns the ID of the next record; null if there is none, and undefined if too many words have the
 * requested beginning.
 */
async function findNearestPerWord(
  { db, organizationId }: Tenant,
  kinds: readonly string[],
  words: readonly string[],
  { isDescending, after }: PageStart,
): Promise<(string | null | undefined)[]> {
  const text = isDescending ? NEAREST_BELOW : NEAREST_ABOVE
  const requested = CompiledQuery.raw(text, [organizationId, kinds, words, words.map(computePrefixEnd), after])
  const { rows } = await db.executeQuery<{ words: number; nearest: string | null }>(requested as CompiledQuery<never>)
  return rows.map(({ words, nearest }) => (words > MAX_WORDS ? undefined : nearest))
}

// Jumps from each word with the requested beginning directly to the next one, no matter how many records contain it.
const nearestWordSql = (nearest: string, beyond: string, order: string) => `
  select found."words", found."nearest"
  from unnest($3::text[], $4::text[]) with ordinality as asked ("word", "end", "place")
  cross join lateral (
    select count(*)::integer as "words", ${nearest}(near."recordId") as "nearest"
    from unnest($2::text[]) as k ("kind")
    cross join lateral (
      with recursive told ("word", "place") as (
        (select s."word", 0 from "searchWords" as s
          where s."organizationId" = $1 and s."kind" = k."kind" and s."word" >= asked."word" and s."word" < asked."end"
          order by s."word" limit 1)
        union all
        select next."word", told."place" + 1 from told cross join lateral (
          select s."word" from "searchWords" as s
          where s."organizationId" = $1 and s."kind" = k."kind" and s."word" > told."word" and s."word" < asked."end"
          order by s."word" limit 1) as next
        where told."place" < ${MAX_WORDS}
      ) select "word" from told) as each
    left join lateral (
      select s."recordId" from "searchWords" as s
      where s."organizationId" = $1 and s."kind" = k."kind" and s."word" = each."word" and s."recordId" ${beyond} $5
      order by s."recordId" ${order} limit 1) as near on true) as found
  order by asked."place"`
const NEAREST_BELOW = nearestWordSql('max', '<=', 'desc')
const NEAREST_ABOVE = nearestWordSql('min', '>=', 'asc')
