import { sql } from 'kysely'
import type { Tenant } from '../calls/call.ts'
import { findRecordTexts } from './index-changes.ts'
import { type IndexedKind, kindsByTable, toArchivedType } from './indexed-kinds.ts'
import {
  FROM_FIRST,
  filterIdsAfterStart,
  findNearestMatchId,
  getFirstId,
  type PageStart,
  toIdConditionSql,
} from './page-start.ts'
import { computePrefixEnd, toIndexWords, toQueryWords } from './search-words.ts'

/** Returns SQL. Values are always parameters, so the text of the SQL does not depend on them. */
export type SqlBuilder = (parameter: (value: unknown) => string) => string

/**
 * The SQL for finding the records of a list that contain words with the requested beginnings. Records that are not
 * indexed yet are searched directly, so a list contains all records that were stored before the request.
 */
export interface MatchSql {
  /** Identifies the text of the SQL: conditions with the same form have the same text. */
  form: string
  /** A query for the IDs of all matching records; null if there may be too many. */
  ids: SqlBuilder | null
  /**
   * The ID of the first possible match in a list that is sorted by ID; null if it is not known, or if the list has
   * another order.
   */
  entry: string | null
  /** A condition for the rows of the list. */
  condition: SqlBuilder
}

/**
 * The maximum number of records with the rarest word for which each record is checked for the other words. If there are
 * more, the search reads the list in its order.
 */
const MAX_CHECKED = 5000

/**
 * The maximum number of records that the search returns. It is higher than MAX_CHECKED, because records can be added
 * after they were counted. The query has a limit because of the planner. If the limit were a parameter, the planner
 * would expect a tenth of the table. Without a limit, the planner would expect so many rows that it would plan the
 * query for each call, which takes far longer than executing it.
 */
const MAX_FOUND = 2 * MAX_CHECKED

/**
 * The maximum number of recent changes that are searched directly because they are not indexed yet. Records of a larger
 * import are found only after they are indexed.
 */
const MAX_UNINDEXED = 500

interface WordQuery {
  q: string
  archived: boolean
  /** The start of the page; null if the list is not sorted by ID. */
  start: PageStart | null
}

/** Returns the SQL for the matching records; null if no record can match. */
export async function buildMatchSql(
  tenant: Tenant,
  table: string,
  { q, archived, start }: WordQuery,
): Promise<MatchSql | null> {
  const kind = kindsByTable.get(table)
  if (kind === undefined) throw new Error(`Expected the search index to include records of ${table}.`)
  const { type } = kind
  const words = toQueryWords(q)
  if (words.length === 0) return null
  const kinds = archived ? [type, toArchivedType(type)] : [type]
  const [counts, waiting] = await Promise.all([
    countRecordsWithWords(tenant, kinds, words),
    findUnindexed(tenant, kind),
  ])
  const has = (text: string) => {
    const own = toIndexWords(text)
    return words.every((word) => own.some((one) => one.startsWith(word)))
  }
  const fresh = waiting.length === 0 ? [] : await findRecordTexts(tenant.db, waiting)
  const matched = fresh.filter(({ kind, text }) => kinds.includes(kind) && has(text)).map(({ recordId }) => recordId)
  const stale = waiting.map(({ recordId }) => recordId)
  const fewest = Math.min(...counts)
  const rarest = counts.indexOf(fewest)
  if (fewest <= MAX_CHECKED)
    return {
      form: `rare ${words.length} ${kinds.length}`,
      ids: rare,
      entry: null,
      condition: (parameter) => `t."id" = any(array(${rare(parameter)}))`,
    }
  const first = await findNearestMatchId(tenant, kinds, words, start ?? FROM_FIRST)
  if (first === null) {
    if (matched.length === 0) return null
    return {
      form: 'new',
      ids: (parameter) => `select unnest(${parameter(matched)}::text[]) as "id"`,
      entry: null,
      condition: (parameter) => `t."id" = any(${parameter(matched)}::text[])`,
    }
  }
  const entry = start === null ? null : getFirstId([first, ...filterIdsAfterStart(start, matched)], start)
  return { form: `frequent ${words.length} ${stale.length > 0}`, ids: null, entry, condition: frequent }

  // A record can contain several words with the same beginning.
  function rare(parameter: (value: unknown) => string): string {
    const found = words.toSpliced(rarest, 1).map((word) => ` and ${hasWordSql('s."recordId"', word, parameter)}`)
    const max = parameter(MAX_FOUND)
    return `select distinct unnest(array(
      select s."recordId" from "searchWords" as s
      where s."organizationId" = $1 and s."kind" in (${kinds.map(parameter).join(', ')})
        and ${beginsWithSql('s', words[rarest] ?? '', parameter)}
        and s."recordId" <> all(${parameter(stale)}::text[])${found.join('')} limit ${max}) || ${parameter(matched)}::text[]) as "id" limit ${max}`
  }

  function frequent(parameter: (value: unknown) => string): string {
    // Add the condition to both tables, because the planner can read either of them first.
    const from = (id: string) =>
      start === null || entry === null ? '' : ` and ${toIdConditionSql(id, start, parameter(entry))}`
    const found = words.map((word) => hasWordSql('t."id"', word, parameter, from)).join(' and ')
    if (stale.length === 0) return `${found}${from('t."id"')}`
    return `(t."id" = any(${parameter(matched)}::text[]) or t."id" <> all(${parameter(stale)}::text[]) and ${found})${from('t."id"')}`
  }
}

function hasWordSql(
  id: string,
  word: string,
  parameter: (value: unknown) => string,
  more: (id: string) => string = () => '',
): string {
  return `exists (
    select from "searchWords" as o where o."organizationId" = $1 and o."recordId" = ${id} and ${beginsWithSql('o', word, parameter)}${more('o."recordId"')})`
}

function beginsWithSql(as: string, word: string, parameter: (value: unknown) => string): string {
  return `${as}."word" >= ${parameter(word)} and ${as}."word" < ${parameter(computePrefixEnd(word))}`
}

/** Returns the number of records with each word, counted up to the maximum that matters. */
async function countRecordsWithWords(
  { db, organizationId }: Tenant,
  kinds: readonly string[],
  words: readonly string[],
): Promise<number[]> {
  const counts = words.map(
    (word) => sql`(
      select count(*) from (
        select from "searchWords" as s
        where s."organizationId" = ${organizationId} and s."kind" in (${sql.join(kinds)})
          and s."word" >= ${word} and s."word" < ${computePrefixEnd(word)} limit ${MAX_CHECKED + 1}) as c)`,
  )
  const { rows } = await sql<{ counts: number[] }>`select array[${sql.join(counts)}]::integer[] as "counts"`.execute(db)
  return rows[0]?.counts ?? []
}

/** Returns the records that have changed since they were last indexed. */
async function findUnindexed({ db, organizationId }: Tenant, { prefix }: IndexedKind) {
  const from = `${prefix}_`
  const { rows } = await sql<{ organizationId: string; recordId: string }>`
    select distinct ${organizationId}::text as "organizationId", q."recordId" from (
      select "recordId" from "searchQueue" where "organizationId" = ${organizationId}
      order by "place" desc limit ${MAX_UNINDEXED}) as q
    where q."recordId" >= ${from} and q."recordId" < ${computePrefixEnd(from)}`.execute(db)
  return rows
}
