import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, Db } from '../database/database.ts'
import { isArchivedSql, kindsById, SEARCHED_KINDS, toArchivedType } from './indexed-kinds.ts'
import { isTypoTolerant, toIndexWords, typoVariants } from './search-words.ts'

/** Records per transaction, which on the embedded database everything else waits for. */
const BATCH_SIZE = 200

/**
 * Batches per run; the next run follows after a second. Changes of a large import are found a little later, but
 * indexing takes at most a third of a core, and a shutdown need not wait for a long queue.
 */
const MAX_BATCHES_PER_RUN = 5

/** The kinds of records that a mistyped word finds. */
const TYPO_TOLERANT_TYPES: readonly string[] = SEARCHED_KINDS.map(({ type }) => type)

/** One process indexes at a time, so that an older state of a record never replaces a newer one. */
const INDEXING_LOCK = 74185095

/** Indexes changes in order: the words of each record, and the variants of new words. */
export async function indexChanges(database: Database): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES_PER_RUN; batch++) {
    const count = await database.transaction(indexBatch)
    if (count < BATCH_SIZE) return
  }
}

/** After this time an erasure need not wait any longer, because the job continues by itself. */
const MAX_WAIT_MS = 60_000

/** Resolves when all changes of a builder so far are indexed, by this process or another one. */
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
  /** The type of the record, or that of archived ones. */
  kind: string
  text: string
}
interface Posting extends RecordReference {
  kind: string
  word: string
}

/** Indexes a batch and returns the number of its queue entries; 0 if another process is indexing. */
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
  const { rows: stored } = await sql<Posting>`
    select s."organizationId", s."kind", s."recordId", s."word" from "searchWords" as s
    join ${unnestReferences(names)} on s."organizationId" = n."organizationId" and s."recordId" = n."recordId"`.execute(
    trx,
  )
  const removed = stored.filter(({ recordId, kind, word }) => {
    const posting = `${recordId} ${word}`
    return requested.get(posting)?.kind !== kind || !requested.delete(posting)
  })
  await removePostings(trx, removed)
  await addPostings(trx, [...requested.values()])
  return noted.length
}

/**
 * Returns the builders that are not erased, and locks them until the batch is committed; otherwise their words would
 * remain.
 */
async function findRemainingOrganizations(trx: Db, names: readonly RecordReference[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select "id" from "organizations" where "id" = any(${[...new Set(names.map(({ organizationId }) => organizationId))]}::text[])
    order by "id" for key share`.execute(trx)
  return new Set(rows.map(({ id }) => id))
}

const unnestReferences = (names: readonly RecordReference[]) => sql`
  unnest(${names.map(({ organizationId }) => organizationId)}::text[], ${names.map(({ recordId }) => recordId)}::text[])
    as n ("organizationId", "recordId")`

/** Returns the current texts of the records. Deleted ones have none. */
export async function findRecordTexts(db: Db, names: readonly RecordReference[]): Promise<RecordText[]> {
  const found: RecordText[] = []
  for (const [prefix, own] of Map.groupBy(names, ({ recordId }) => recordId.slice(0, recordId.lastIndexOf('_')))) {
    const kind = kindsById.get(prefix)
    if (kind === undefined) continue
    const { rows } = await sql<RecordText>`
      select t."organizationId", t."id" as "recordId", ${sql.raw(kind.text)} as "text",
        case when ${sql.raw(isArchivedSql(kind))} then ${toArchivedType(kind.type)}::text else ${kind.type}::text end as "kind"
      from ${sql.table(kind.table)} as t ${sql.raw(kind.join ?? '')}
      join ${unnestReferences(own)} on t."organizationId" = n."organizationId" and t."id" = n."recordId"`.execute(db)
    found.push(...rows)
  }
  return found
}

async function removePostings(trx: Db, postings: readonly Posting[]): Promise<void> {
  if (postings.length === 0) return
  await sql`
    delete from "searchWords" as s using json_to_recordset(${JSON.stringify(postings)}::json)
      as g ("organizationId" text, "recordId" text, "word" text)
    where s."organizationId" = g."organizationId" and s."recordId" = g."recordId" and s."word" = g."word"`.execute(trx)
  // Many records may have lost the same word, which is looked up once.
  const words = new Map(
    postings.map(({ organizationId, word }) => [`${organizationId} ${word}`, { organizationId, word }] as const),
  )
  // A word that no longer occurs may have been a person's name.
  await sql`
    delete from "searchVariants" as v using json_to_recordset(${JSON.stringify([...words.values()])}::json)
      as g ("organizationId" text, "word" text)
    where v."organizationId" = g."organizationId" and v."word" = g."word" and not exists (
      select from "searchWords" as s where s."organizationId" = g."organizationId"
        and s."kind" = any(${TYPO_TOLERANT_TYPES}::text[]) and s."word" = g."word")`.execute(trx)
}

async function addPostings(trx: Db, postings: readonly Posting[]): Promise<void> {
  if (postings.length === 0) return
  await sql`
    insert into "searchWords" ("organizationId", "kind", "recordId", "word")
    select "organizationId", "kind", "recordId", "word"
    from json_populate_recordset(null::"searchWords", ${JSON.stringify(postings)}::json)`.execute(trx)
  const words = new Map(
    postings.flatMap(({ organizationId, kind, word }) =>
      TYPO_TOLERANT_TYPES.includes(kind) && isTypoTolerant(word)
        ? [[`${organizationId} ${word}`, { organizationId, word }] as const]
        : [],
    ),
  )
  // Most words have occurred before, and each has as many variants as letters.
  const { rows: known } = await sql<{ organizationId: string; word: string }>`
    select v."organizationId", v."word" from json_to_recordset(${JSON.stringify([...words.values()])}::json)
      as g ("organizationId" text, "word" text)
    join "searchVariants" as v on v."organizationId" = g."organizationId" and v."variant" = g."word" and v."word" = g."word"`.execute(
    trx,
  )
  for (const { organizationId, word } of known) words.delete(`${organizationId} ${word}`)
  const variants = [...words.values()].flatMap((each) =>
    typoVariants(each.word).map((variant) => ({ ...each, variant })),
  )
  await sql`
    insert into "searchVariants" ("organizationId", "variant", "word")
    select "organizationId", "variant", "word"
    from json_populate_recordset(null::"searchVariants", ${JSON.stringify(variants)}::json)`.execute(trx)
}
