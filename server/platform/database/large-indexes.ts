import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Database } from './database.ts'

/**
 * An index on a table that is large in production. Creating it in the migrations' transaction would block writers until
 * all migrations are done. A migration therefore exports the index in `ahead`. The index is built before that
 * transaction, while writes continue. `createIndexes`, called in `up`, creates the index if it was not built before, as
 * in a new database.
 */
export interface LargeIndex {
  name: string
  /** The table and the indexed columns, as in SQL: `"vendors" ("organizationId", "status")`. */
  on: string
  isUnique?: boolean
}

/** Returns the indexes that a migration exports as `ahead`. */
export function listIndexesToBuildAhead(migration: object): readonly LargeIndex[] {
  return 'ahead' in migration ? (migration.ahead as readonly LargeIndex[]) : []
}

/** An arbitrary number that no other lock in this database uses. */
const BUILDING_LOCK = 74185027

/** Interval at which a process checks whether another process has finished, in milliseconds. */
const POLL_INTERVAL_MS = 250

/**
 * Builds the missing indexes. A single process builds the indexes, and the other processes wait. The waiting processes
 * poll, because a statement that waits for a lock holds a snapshot, and building an index waits for all older
 * snapshots.
 */
export async function buildIndexesAhead(database: Database, indexes: readonly LargeIndex[]): Promise<void> {
  if (indexes.length === 0) return
  // The embedded database belongs to this process alone, so no other process writes to it.
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
        // An index left by a process that ended during the build is never used, but would count as existing.
        if (state === 'invalid') await sql`drop index concurrently if exists ${sql.id(index.name)}`.execute(db)
        if (state !== 'valid') await buildIndex(db, index)
      }
    } finally {
      await sql`select pg_advisory_unlock(${BUILDING_LOCK})`.execute(db)
    }
  })
}

// 42703, 42P01 and 42883: the column, table, or function does not exist yet, for example during an upgrade that skips a
// version. The index is then
// created in `up`, which blocks writers a little longer.
const UNDEFINED_OBJECT_CODES: readonly unknown[] = ['42703', '42P01', '42883']

async function buildIndex<DB>(db: Kysely<DB>, index: LargeIndex): Promise<void> {
  try {
    await sql.raw(toCreateStatement(index, 'concurrently')).execute(db)
  } catch (error) {
    if (!UNDEFINED_OBJECT_CODES.includes((error as { code?: unknown }).code)) throw error
  }
}

/** Creates the indexes that have not been built ahead. Call this function in `up`. */
export async function createIndexes<DB>(db: Kysely<DB>, indexes: readonly LargeIndex[]): Promise<void> {
  // Even with `if not exists`, a statement that creates an existing index would wait for writers.
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
