import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Database } from './database.ts'

/**
 * An index on a table that is large in production. Creating such an index in the transaction of the migrations would
 * block all writes until the transaction ends. Therefore, a migration exports the index in `ahead`, and the index is
 * built before the transaction, while writes continue. `up` calls `createIndexes`, which creates the index if it has
 * not been built, for example in a new database.
 */
export interface LargeIndex {
  name: string
  /** The table and the columns in SQL, such as `"vendors" ("organizationId", "status")`. */
  on: string
  isUnique?: boolean
}

/** Returns the indexes that a migration exports as `ahead`. */
export function listIndexesToBuildAhead(migration: object): readonly LargeIndex[] {
  return 'ahead' in migration ? (migration.ahead as readonly LargeIndex[]) : []
}

/** The number of the lock for building indexes. The number must differ from all other lock numbers in this database. */
const BUILDING_LOCK = 74185027

/** The interval in milliseconds at which a process checks whether another process has finished. */
const POLL_INTERVAL_MS = 250

/**
 * Builds the missing indexes. Only one process builds them, and all other processes wait. The waiting processes poll.
 * If a statement waited for a lock instead, it would hold a snapshot, and building an index waits for all older
 * snapshots.
 */
export async function buildIndexesAhead(database: Database, indexes: readonly LargeIndex[]): Promise<void> {
  if (indexes.length === 0) return
  // No other process writes to the embedded database, so there is no need to build indexes ahead.
  if (database.embedded) return
  await database.sessions.connection().execute(async (db) => {
    for (;;) {
      const { rows } = await sql<{ isOurs: boolean }>`
        select pg_try_advisory_lock(${BUILDING_LOCK}) as "isOurs"`.execute(db)
      if (rows[0]?.isOurs === true) break
      await delay(POLL_INTERVAL_MS)
    }
    try {
      for (const index of indexes) {
        const state = await findIndexState(db, index)
        // If a process ended while it built an index, the index is never used, but would count as existing.
        if (state === 'invalid') await sql`drop index concurrently if exists ${sql.id(index.name)}`.execute(db)
        if (state !== 'valid') await buildIndex(db, index)
      }
    } finally {
      await sql`select pg_advisory_unlock(${BUILDING_LOCK})`.execute(db)
    }
  })
}

// 42703, 42P01, and 42883: the column, table, or function does not exist yet, for example during an upgrade that skips
// a version. The index is then created in `up`, which blocks writes for a longer time.
const UNDEFINED_OBJECT_CODES: readonly unknown[] = ['42703', '42P01', '42883']

async function buildIndex<DB>(db: Kysely<DB>, index: LargeIndex): Promise<void> {
  try {
    await sql.raw(toCreateStatement(index, 'concurrently')).execute(db)
  } catch (error) {
    if (!UNDEFINED_OBJECT_CODES.includes((error as { code?: unknown }).code)) throw error
  }
}

/** Creates the indexes that have not been built ahead. Must be called in `up`. */
export async function createIndexes<DB>(db: Kysely<DB>, indexes: readonly LargeIndex[]): Promise<void> {
  // Check first whether the index exists. Even with `if not exists`, the statement would wait for writers.
  for (const index of indexes)
    if ((await findIndexState(db, index)) === null) await sql.raw(toCreateStatement(index, '')).execute(db)
}

async function findIndexState<DB>(db: Kysely<DB>, { name }: LargeIndex): Promise<'valid' | 'invalid' | null> {
  const { rows } = await sql<{ isValid: boolean }>`
    select x."indisvalid" as "isValid" from "pg_index" x join "pg_class" c on c."oid" = x."indexrelid"
    where c."relname" = ${name} and c."relnamespace" = current_schema()::regnamespace`.execute(db)
  return rows[0] === undefined ? null : rows[0].isValid ? 'valid' : 'invalid'
}

function toCreateStatement({ name, on, isUnique = false }: LargeIndex, how: '' | 'concurrently'): string {
  return `create ${isUnique ? 'unique ' : ''}index ${how} "${name}" on ${on}`
}
