import { CompiledQuery } from 'kysely'
import type { Tenant } from '../calls/call.ts'
import { endOf } from './words.ts'

/** The position in a list in the order of its IDs. */
export interface Start {
  isDescending: boolean
  /** ID of the last record of the previous page. */
  after: string | null
}

/** For a list in another order, where it only matters whether there is any record. */
export const ANYWHERE: Start = { isDescending: true, after: null }

/** A beginning with more words than this, such as a single letter, is found throughout a list. */
const MOST_WORDS = 50

/** If records of two words alternate for longer than this, the list is read instead. */
const MOST_LEAPS = 8

/**
 * Returns the ID up to which a page can skip a list, because no earlier record has all of the words; null if none has.
 * A vendor that worked years ago may have thousands of orders, and tens of thousands may have come since. So the next
 * record with each word is looked up, and again from the furthest of these on, until they agree.
 */
export async function nearestWithAll(
  tenant: Tenant,
  kinds: readonly string[],
  words: readonly string[],
  { isDescending, after }: Start,
): Promise<string | null> {
  let from = after ?? (isDescending ? endOf('') : '')
  for (let leap = 0; leap < MOST_LEAPS; leap++) {
    const nearest = await nearestOf(tenant, kinds, words, { isDescending, after: from })
    if (nearest.includes(null)) return null
    const known = nearest.filter((id) => typeof id === 'string')
    const furthest = firstOf([from, ...known], { isDescending: !isDescending })
    if (known.every((id) => id === furthest)) return furthest
    from = furthest
  }
  return from
}

/** Returns which of the IDs is first in the list. There is at least one. */
export function firstOf(ids: readonly string[], { isDescending }: Pick<Start, 'isDescending'>): string {
  return ids.reduce((one, other) => (one > other === isDescending ? one : other))
}

/** Returns the condition that an ID is at the given one or later in the list. */
export function onwards(id: string, { isDescending }: Pick<Start, 'isDescending'>, given: string): string {
  return `${id} ${isDescending ? '<=' : '>='} ${given}`
}

/** Returns the IDs that the list has after its start. */
export function beyond(start: Start, ids: readonly string[]): string[] {
  const { after } = start
  return ids.filter((id) => after === null || firstOf([after, id], start) === after)
}

/** Returns the next record with each word: null if there is none, undefined if too many words begin with it. */
async function nearestOf(
  { db, organizationId }: Tenant,
  kinds: readonly string[],
  words: readonly string[],
  { isDescending, after }: Start,
): Promise<(string | null | undefined)[]> {
  const text = isDescending ? NEAREST_BELOW : NEAREST_ABOVE
  const asked = CompiledQuery.raw(text, [organizationId, kinds, words, words.map(endOf), after])
  const { rows } = await db.executeQuery<{ words: number; nearest: string | null }>(asked as CompiledQuery<never>)
  return rows.map(({ words, nearest }) => (words > MOST_WORDS ? undefined : nearest))
}

// Jumps from each word with the requested beginning straight to the next one, however many records have it.
const nearestTo = (nearest: string, beyond: string, order: string) => `
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
        where told."place" < ${MOST_WORDS}
      ) select "word" from told) as each
    left join lateral (
      select s."recordId" from "searchWords" as s
      where s."organizationId" = $1 and s."kind" = k."kind" and s."word" = each."word" and s."recordId" ${beyond} $5
      order by s."recordId" ${order} limit 1) as near on true) as found
  order by asked."place"`
const NEAREST_BELOW = nearestTo('max', '<=', 'desc')
const NEAREST_ABOVE = nearestTo('min', '>=', 'asc')
