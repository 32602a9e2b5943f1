import { sql } from 'kysely'
import type { Tenant } from '../http/call.ts'
import { textsOf } from './index-changes.ts'
import { archivedType, type IndexedKind, kindsByTable } from './kinds.ts'
import { askedWords, endOf, wordsOf } from './words.ts'

/** SQL that depends on values only by its parameters. */
export type Matching = (parameter: (value: unknown) => string) => string

/**
 * Which records of a list have words that begin with those that are asked for. What the index does not know yet is
 * looked at itself, so a list finds what was written before.
 */
export interface Matched {
  /** What is of one form has the same text. */
  form: string
  /** An array of the ids of all of them; null if they may be too many. */
  ids: Matching | null
  /** A condition on the list's rows. */
  condition: Matching
}

/** Up to so many records that have the rarest word are checked for the others; above, the list's order is followed. */
const MOST_CHECKED = 5000

/** So many of the latest changes are looked at, if they are not indexed yet; an import of more is found as it is indexed. */
const MOST_WAITING = 500

/** Null if no record matches. */
export async function matching(tenant: Tenant, table: string, q: string, archived: boolean): Promise<Matched | null> {
  const kind = kindsByTable.get(table)
  if (kind === undefined) throw new Error(`The index of words (kinds.ts) knows no records of ${table}.`)
  const { type } = kind
  const words = askedWords(q)
  if (words.length === 0) return null
  const kinds = archived ? [type, archivedType(type)] : [type]
  const [counts, waiting] = await Promise.all([countsOf(tenant, kinds, words), waitingOf(tenant, kind)])
  const has = (text: string) => {
    const own = wordsOf(text)
    return words.every((word) => own.some((one) => one.startsWith(word)))
  }
  const fresh = waiting.length === 0 ? [] : await textsOf(tenant.db, waiting)
  const matched = fresh.filter(({ kind, text }) => kinds.includes(kind) && has(text)).map(({ recordId }) => recordId)
  const stale = waiting.map(({ recordId }) => recordId)
  const fewest = Math.min(...counts)
  if (fewest === 0 && matched.length === 0) return null
  const rarest = counts.indexOf(fewest)
  if (fewest <= MOST_CHECKED)
    return { form: `rare ${words.length}`, ids: rare, condition: (parameter) => `t."id" = any(${rare(parameter)})` }
  return { form: `frequent ${words.length} ${stale.length > 0}`, ids: null, condition: frequent }

  function rare(parameter: (value: unknown) => string): string {
    const found = words.toSpliced(rarest, 1).map((word) => ` and ${hasWord('s."recordId"', word, parameter)}`)
    // A record may have several words that begin with the same letters.
    return `array(
      select distinct s."recordId" from "searchWords" as s
      where s."organizationId" = $1 and s."kind" = any(${parameter(kinds)}::text[]) and ${begins('s', words[rarest] ?? '', parameter)}
        and s."recordId" <> all(${parameter(stale)}::text[])${found.join('')}) || ${parameter(matched)}::text[]`
  }

  function frequent(parameter: (value: unknown) => string): string {
    const found = words.map((word) => hasWord('t."id"', word, parameter)).join(' and ')
    if (stale.length === 0) return found
    return `(t."id" = any(${parameter(matched)}::text[]) or t."id" <> all(${parameter(stale)}::text[]) and ${found})`
  }
}

function hasWord(id: string, word: string, parameter: (value: unknown) => string): string {
  return `exists (
    select from "searchWords" as o where o."organizationId" = $1 and o."recordId" = ${id} and ${begins('o', word, parameter)})`
}

function begins(as: string, word: string, parameter: (value: unknown) => string): string {
  return `${as}."word" >= ${parameter(word)} and ${as}."word" < ${parameter(endOf(word))}`
}

/** How many records have each of the words, counted only as far as it matters. */
async function countsOf(
  { db, organizationId }: Tenant,
  kinds: readonly string[],
  words: readonly string[],
): Promise<number[]> {
  const { rows } = await sql<{ count: number }>`
    select (
      select count(*) from (
        select from "searchWords" as s
        where s."organizationId" = ${organizationId} and s."kind" = any(${[...kinds]}::text[])
          and s."word" >= w."word" and s."word" < w."end" limit ${MOST_CHECKED + 1}) as c)::integer as "count"
    from unnest(${[...words]}::text[], ${words.map(endOf)}::text[]) with ordinality as w ("word", "end", "place")
    order by w."place"`.execute(db)
  return rows.map(({ count }) => count)
}

/** The records that have changed since they were indexed. */
async function waitingOf({ db, organizationId }: Tenant, { prefix }: IndexedKind) {
  const from = `${prefix}_`
  const { rows } = await sql<{ organizationId: string; recordId: string }>`
    select distinct ${organizationId}::text as "organizationId", q."recordId" from (
      select "recordId" from "searchQueue" where "organizationId" = ${organizationId}
      order by "place" desc limit ${MOST_WAITING}) as q
    where q."recordId" >= ${from} and q."recordId" < ${endOf(from)}`.execute(db)
  return rows
}
