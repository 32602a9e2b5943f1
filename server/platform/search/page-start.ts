import { CompiledQuery } from 'kysely'
import type { Tenant } from '../calls/call.ts'
import { computePrefixEnd } from './search-words.ts'

/** The position at which a page starts in a list in the order of IDs. */
export interface PageStart {
  isDescending: boolean
  /** ID of the last record of the previous page. */
  after: string | null
}

/** For a list in another order, where only the existence of a matching record matters. */
export const FROM_FIRST: PageStart = { isDescending: true, after: null }

/** If more words than this have the requested prefix, such as a single letter, matches are found throughout a list. */
const MAX_WORDS = 50

/** If the search alternates between records with different words more often than this, the list is read instead. */
const MAX_LEAPS = 8

/**
 * Returns the ID up to which a page can skip a list, because no earlier record has all words. Returns null if no record
 * has all words. A vendor that worked years ago may have thousands of orders, and tens of thousands of orders by other
 * vendors may have been added since. The next record with each word is therefore looked up. The lookups continue from
 * the furthest of these records until all words lead to the same record.
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

/** Returns the ID that comes first in the list. There must be at least one ID. */
export function getFirstId(ids: readonly string[], { isDescending }: Pick<PageStart, 'isDescending'>): string {
  return ids.reduce((one, other) => (one > other === isDescending ? one : other))
}

/** Returns the SQL condition that an ID is at or after the given ID in the list. */
export function toIdConditionSql(
  id: string,
  { isDescending }: Pick<PageStart, 'isDescending'>,
  provided: string,
): string {
  return `${id} ${isDescending ? '<=' : '>='} ${provided}`
}

/** Returns the IDs that come after the page start in the list. */
export function filterIdsAfterStart(start: PageStart, ids: readonly string[]): string[] {
  const { after } = start
  return ids.filter((id) => after === null || getFirstId([after, id], start) === after)
}

/**
 * Returns the next record with each word: null if there is no such record, and undefined if too many words have the
 * requested prefix.
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

// Jumps from each word with the requested prefix directly to the next such word, regardless of how many records have
// the word.
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
