import { CompiledQuery } from 'kysely'
import type { Tenant } from '../calls/call.ts'
import { endOf } from './words.ts'

/** Where a page begins in a list that is in the order of its ids. */
export interface Start {
  isDescending: boolean
  /** The record that the page before ended with. */
  after: string | null
}

/** For a list in another order, in which it only matters whether there is any record. */
export const ANYWHERE: Start = { isDescending: true, after: null }

/** What more words begin with than these, such as a single letter, is found all over a list. */
const MOST_WORDS = 50

/** Where records that have one of the words and those that have another take turns for longer, the list is read. */
const MOST_LEAPS = 8

/**
 * Up to which record a page can pass over a list, because none before it has all of the words; null if none has. A
 * vendor who built for years and then no more has thousands of orders, and tens of thousands may have come since. So of
 * each word the next record that has it is looked up, and again from the furthest of these on, until they agree.
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

/** Which of the ids, of which there is one at least, the list has first. */
export function firstOf(ids: readonly string[], { isDescending }: Pick<Start, 'isDescending'>): string {
  return ids.reduce((one, other) => (one > other === isDescending ? one : other))
}

/** The condition that a list has an id where it has the given one, or later. */
export function onwards(id: string, { isDescending }: Pick<Start, 'isDescending'>, given: string): string {
  return `${id} ${isDescending ? '<=' : '>='} ${given}`
}

/** Those of the ids that the list has after its start. */
export function beyond(start: Start, ids: readonly string[]): string[] {
  const { after } = start
  return ids.filter((id) => after === null || firstOf([after, id], start) === after)
}

/** For each word the next record that has it: null if there is none, undefined if too many words begin with it. */
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

// From each word that begins with what was asked for straight to the next one, however many records have it.
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
