import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, Db } from '../database/database.ts'
import type { DueSql } from '../due/find-due-jobs.ts'
import { kindsById, SEARCHED_KINDS, toArchivedConditionSql, toArchivedType } from './indexed-kinds.ts'
import { isTypoTolerant, listTypoVariants, toIndexWords } from './search-words.ts'

/** The number of records per transaction. In the embedded database, all other work waits for this transaction. */
const BATCH_SIZE = 200

/**
 * The maximum number of batches per run. The next run starts a second later. Because of this limit, indexing uses at
 * most a third of a CPU core, and a shutdown does not wait for a long queue. In return, changes of a large import can
 * be found a little later.
 */
const MAX_BATCHES_PER_RUN = 5

/** The types of records that can be found by misspelled words. */
const TYPO_TOLERANT_TYPES: readonly string[] = SEARCHED_KINDS.map(({ type }) => type)

/**
 * The number of the lock that allows only one process to index at a time. Otherwise, an older state of a record could
 * replace a newer one.
 */
const INDEXING_LOCK = 74185095

export const toQueuedChangesSql: DueSql = () => sql`select "organizationId" from "searchQueue"`

/** Indexes changes in order: first the words of each record, and then the variants of new words. */
export async function indexChanges(database: Database): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES_PER_RUN; batch++) {
    const count = await database.transaction(indexBatch)
    if (count < BATCH_SIZE) return
  }
}

/**
 * The maximum time in milliseconds for which erasing a lead or person waits for the search index. Afterward, the job
 * continues indexing in the background.
 */
const MAX_WAIT_MS = 60_000

/** Resolves when this process or another one has indexed all changes of a builder that exist now. */
export async function waitUntilIndexed(database: Database, organizationId: string): Promise<void> {
  const { rows } = await sql<{ newest: string | null }>`
    select max("place") as "newest" from "searchQueue" where "organizationId" = ${organizationId}`.execute(
    database.statements,
  )
  const newest = rows[0]?.newest ?? null
  if (newest === null) return
  const startedMs = performance.now()
  while (performance.now() - startedMs < MAX_WAIT_MS) {
    await indexChanges(database)
    const waiting = await sql`
      select from "searchQueue" where "organizationId" = ${organizationId} and "place" <= ${newest} limit 1`.execute(
      database.statements,
    )
    if (waiting.rows.length === 0) return
    await delay(100)
  }
}

export interface RecordReference {
  organizationId: string
  recordId: string
}
interface RecordText extends RecordReference {
  /** The type of the record; for an archived record, the separate type of archived records. */
  kind: string
  text: string
}
interface Posting extends RecordReference {
  kind: string
  word: string
}

/** Indexes a batch, and returns the number of its entries in the queue; 0 if another process is indexing. */
async function indexBatch(trx: Db): Promise<number> {
  const { rows: locks } = await sql<{ isOurs: boolean }>`
    select pg_try_advisory_xact_lock(${INDEXING_LOCK}) as "isOurs"`.execute(trx)
  if (locks[0]?.isOurs !== true) return 0
  const { rows: noted } = await sql<RecordReference & { place: number }>`
    select "organizationId", "recordId", "place" from "searchQueue"
    order by "place" limit ${BATCH_SIZE}`.execute(trx)
  if (noted.length === 0) return 0
  await sql`
    delete from "searchQueue" where "organizationId" = any(${[...new Set(noted.map((name) => name.organizationId))]}::text[])
      and "place" = any(${noted.map(({ place }) => place)}::bigint[])`.execute(trx)
  const builders = await findRemainingOrganizations(trx, noted)
  const ofBuilders = noted.filter(({ organizationId }) => builders.has(organizationId))
  const names = [...new Map(ofBuilders.map((name) => [name.recordId, name])).values()]
  const records = await findRecordTexts(trx, names)
  const requested = new Map<string, Posting>(
    records.flatMap(({ kind, text, ...name }) =>
      toIndexWords(text).map((word) => [`${name.recordId} ${word}`, { ...name, kind, word }] as const),
    ),
  )
  // Also add variants of words that are already stored, because a new version can make their type of record
  // typo-tolerant and queue its records again.
  const all = [...requested.values()]
  const { rows: stored } = await sql<Posting>`
    select s."organizationId", s."kind", s."recordId", s."word" from "searchWords" as s
    join unnest(${names.map(({ organizationId }) => organizationId)}::text[], ${names.map(({ recordId }) => recordId)}::text[])
      as n ("organizationId", "recordId") on s."organizationId" = n."organizationId" and s."recordId" = n."recordId"`.execute(
    trx,
  )
  const removed = stored.filter(({ recordId, kind, word }) => {
    const posting = `${recordId} ${word}`
    return requested.get(posting)?.kind !== kind || !requested.delete(posting)
  })
  await removePostings(trx, removed)
  await addPostings(trx, [...requested.values()])
  await addVariants(trx, all)
  return noted.length
}

/**
 * Returns the builders that have not been erased, and locks them until the batch is committed. Otherwise, words of a
 * builder that is being erased could remain.
 */
async function findRemainingOrganizations(trx: Db, names: readonly RecordReference[]): Promise<ReadonlySet<string>> {
  const remaining = new Set<string>()
  for (const id of [...new Set(names.map(({ organizationId }) => organizationId))].sort()) {
    const { rows } = await sql`select from "organizations" where "id" = ${id} for key share`.execute(trx)
    if (rows.length > 0) remaining.add(id)
  }
  return remaining
}

/**
 * Returns the current texts of the records, with one statement for each organization and kind of record. A deleted
 * record has none.
 */
export async function findRecordTexts(db: Db, names: readonly RecordReference[]): Promise<RecordText[]> {
  const found: RecordText[] = []
  for (const [organizationId, ofBuilder] of Map.groupBy(names, (name) => name.organizationId)) {
    const byPrefix = Map.groupBy(ofBuilder, ({ recordId }) => recordId.slice(0, recordId.lastIndexOf('_')))
    for (const [prefix, own] of byPrefix) {
      const kind = kindsById.get(prefix)
      if (kind === undefined) continue
      const { rows } = await sql<RecordText>`
        select t."organizationId", t."id" as "recordId", ${sql.raw(kind.text)} as "text",
          case when ${sql.raw(toArchivedConditionSql(kind))} then ${toArchivedType(kind.type)}::text else ${kind.type}::text end as "kind"
        from ${sql.table(kind.table)} as t ${sql.raw(kind.join ?? '')}
        where t."organizationId" = ${organizationId}
          and t."id" = any(${own.map(({ recordId }) => recordId)}::text[])`.execute(db)
      found.push(...rows)
    }
  }
  return found
}

async function removePostings(trx: Db, postings: readonly Posting[]): Promise<void> {
  if (postings.length === 0) return
  await sql`
    delete from "searchWords" as s using json_to_recordset(${JSON.stringify(postings)}::json)
      as g ("organizationId" text, "recordId" text, "word" text)
    where s."organizationId" = g."organizationId" and s."recordId" = g."recordId" and s."word" = g."word"`.execute(trx)
  // Look up each word only once, because many records may have lost the same word.
  const words = new Map(
    postings.map(({ organizationId, word }) => [`${organizationId} ${word}`, { organizationId, word }] as const),
  )
  // Delete words that no longer occur, because they may be names of people.
  for (const [organizationId, own] of Map.groupBy(words.values(), (each) => each.organizationId)) {
    await sql`
      delete from "searchVariants" as v
      where v."organizationId" = ${organizationId} and v."word" = any(${own.map(({ word }) => word)}::text[])
        and not exists (
          select from "searchWords" as s where s."organizationId" = ${organizationId}
            and s."kind" = any(${TYPO_TOLERANT_TYPES}::text[]) and s."word" = v."word")`.execute(trx)
  }
}

async function addPostings(trx: Db, postings: readonly Posting[]): Promise<void> {
  if (postings.length === 0) return
  await sql`
    insert into "searchWords" ("organizationId", "kind", "recordId", "word")
    select "organizationId", "kind", "recordId", "word"
    from json_populate_recordset(null::"searchWords", ${JSON.stringify(postings)}::json)`.execute(trx)
}

/** Adds the variants by which misspelled words are found. */
async function addVariants(trx: Db, postings: readonly Posting[]): Promise<void> {
  const words = new Map(
    postings.flatMap(({ organizationId, kind, word }) =>
      TYPO_TOLERANT_TYPES.includes(kind) && isTypoTolerant(word)
        ? [[`${organizationId} ${word}`, { organizationId, word }] as const]
        : [],
    ),
  )
  if (words.size === 0) return
  // Look up the words first, because most of them already exist, and each word has one variant for each of its letters.
  const { rows: known } = await sql<{ organizationId: string; word: string }>`
    select v."organizationId", v."word" from json_to_recordset(${JSON.stringify([...words.values()])}::json)
      as g ("organizationId" text, "word" text)
    join "searchVariants" as v on v."organizationId" = g."organizationId" and v."variant" = g."word" and v."word" = g."word"`.execute(
    trx,
  )
  for (const { organizationId, word } of known) words.delete(`${organizationId} ${word}`)
  const variants = [...words.values()].flatMap((each) =>
    listTypoVariants(each.word).map((variant) => ({ ...each, variant })),
  )
  await sql`
    insert into "searchVariants" ("organizationId", "variant", "word")
    select "organizationId", "variant", "word"
    from json_populate_recordset(null::"searchVariants", ${JSON.stringify(variants)}::json)`.execute(trx)
}
