import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Database } from './database.ts'

/**
 * An index on a table that is large in production. Creating it in the migrations' transaction would block writers until
 * all migrations are done. So a migration exports it as one of `ahead`, and it is built before that transaction while
 * writes continue. In `up`, `createIndexes` creates it if that has not happened, as on a new database.
 */
export interface LargeIndex {
  name: string
  /** The table and the indexed columns, as in SQL: `"vendors" ("organizationId", "status")`. */
  on: string
  isUnique?: boolean
}

/** Returns what a migration exports as `ahead`. */
export function indexesToBuildAhead(migration: object): readonly LargeIndex[] {
  return 'ahead' in migration ? (migration.ahead as readonly LargeIndex[]) : []
}

/** An arbitrary number that no other lock in this database uses. */
const BUILDING_LOCK = 74185027

/** How often a process checks whether another one has finished. */
const POLL_INTERVAL_MS = 250

/**
 * Builds the missing indexes. One process builds, and the others wait. They poll, because a statement that waits for a
 * lock holds a snapshot, and building waits for all older snapshots.
 */
export async function buildIndexesAhead(database: Database, indexes: readonly LargeIndex[]): Promise<void> {
  if (indexes.length === 0) return
  // The embedded database belongs to this process alone, so nobody else writes.
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
        // An index left by a process that ended while building is never used, but would count as existing.
        if (state === 'invalid') await sql`drop index concurrently if exists ${sql.id(index.name)}`.execute(db)
        if (state !== 'valid') await buildIndex(db, index)
      }
    } finally {
      await sql`select pg_advisory_unlock(${BUILDING_LOCK})`.execute(db)
    }
  })
}

// 42703 and 42P01: an upgrade that skips a version has no such column or table yet. The index is then created in `up`,
// which blocks writers a little longer.
const UNDEFINED_OBJECT_CODES: readonly unknown[] = ['42703', '42P01']

async function buildIndex<DB>(db: Kysely<DB>, index: LargeIndex): Promise<void> {
  try {
    await sql.raw(toCreateStatement(index, 'concurrently')).execute(db)
  } catch (error) {
    if (!UNDEFINED_OBJECT_CODES.includes((error as { code?: unknown }).code)) throw error
  }
}

/** Creates the indexes that have not been built ahead. For `up`. */
export async function createIndexes<DB>(db: Kysely<DB>, indexes: readonly LargeIndex[]): Promise<void> {
  // Even with `if not exists`, the statement would wait for writers.
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
