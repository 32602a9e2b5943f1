import { promises as fs } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { FileMigrationProvider, Migrator } from 'kysely/migration'
import { DatabaseUnavailable } from './connection-errors.ts'
import type { Database, Db } from './database.ts'
import { buildIndexesAhead, indexesToBuildAhead } from './large-indexes.ts'
import { enableRowLevelSecurity } from './row-level-security.ts'
import { assertNoUnfinishedMove } from './unfinished-move.ts'

const FOLDER = path.join(import.meta.dirname, 'migrations')

/**
 * Updates the schema in one transaction, all pending migrations or none, and then enables tenant isolation on the new
 * tables. Any number of processes may call it concurrently: the migrator's lock makes them take turns, and the later
 * ones find nothing to do. A database that a later version has migrated is left unchanged, because during an upgrade
 * the previous version continues to run, and may be started there (docs/operating/upgrading.md).
 *
 * @returns the names of the migrations that were run
 * @throws {DatabaseUnavailable} if the database user may not change the schema, or a move into it is unfinished
 */
export async function migrate(database: Database): Promise<string[]> {
  await assertNoUnfinishedMove(database.statements)
  return migrateMoveTarget(database)
}

/** Does the same for a database that a move fills. */
export async function migrateMoveTarget(database: Database): Promise<string[]> {
  const names = await runPending(database).catch((error: unknown) => {
    const { code, message } = error as { code?: unknown; message: string }
    if (code !== INSUFFICIENT_PRIVILEGE) throw error
    throw new DatabaseUnavailable(
      `The user of DATABASE_URL cannot update the schema: ${message}. Make that user the owner of the database and its tables.`,
    )
  })
  await enableRowLevelSecurity(database)
  return names
}

const INSUFFICIENT_PRIVILEGE = '42501'

async function runPending(database: Database): Promise<string[]> {
  const done = await listAppliedMigrations(database.statements)
  if ((await listKnownMigrations()).every((name) => done.has(name))) return []
  const provider = new FileMigrationProvider({ fs, path, migrationFolder: FOLDER })
  // On a new database the tables are empty, and most do not exist yet.
  if (done.size > 0) {
    const pending = Object.entries(await provider.getMigrations()).filter(([name]) => !done.has(name))
    await buildIndexesAhead(
      database,
      pending.flatMap(([, migration]) => indexesToBuildAhead(migration)),
    )
  }
  return database.sessions.connection().execute((db) =>
    retryWithLockTimeout(db, database.embedded ? 0 : LOCK_WAIT_MS, async () => {
      const { error, results } = await new Migrator({ db, provider }).migrateToLatest()
      if (error) throw error
      return (results ?? []).map((result) => result.migrationName)
    }),
  )
}

// Not longer than a request waits. The embedded database belongs to this process alone, and has no locks to wait for.
const LOCK_WAIT_MS = 3000
const PAUSE_MS = 1000
const MAX_WAIT_MS = 3_600_000
/** The errors of a lock timeout and a deadlock. */
const BLOCKED_CODES: ReadonlySet<unknown> = new Set(['55P03', '40P01'])

/**
 * Runs a schema change that gives way to other transactions. Whoever uses a table that is to be changed waits behind
 * the change, which may itself wait for a read of several minutes, such as a dump. So the change waits for a lock only
 * a short time, then lets the others pass and starts again, up to a maximum time.
 *
 * @param db a connection that nobody else uses meanwhile
 */
export async function retryWithLockTimeout<T>(db: Db, lockWaitMs: number, change: () => Promise<T>): Promise<T> {
  const startedMs = performance.now()
  await sql.raw(`set lock_timeout = ${lockWaitMs}`).execute(db)
  try {
    for (;;) {
      try {
        return await change()
      } catch (error) {
        const { code } = error as { code?: unknown }
        if (!BLOCKED_CODES.has(code) || performance.now() - startedMs > MAX_WAIT_MS) throw error
      }
      await delay(PAUSE_MS)
    }
  } finally {
    await sql`set lock_timeout = 0`.execute(db)
  }
}

/** Returns the names of all migrations in this version, in order. */
export async function listKnownMigrations(): Promise<string[]> {
  const files = (await fs.readdir(FOLDER)).filter((name) => name.endsWith('.ts')).sort()
  return files.map((name) => path.basename(name, '.ts'))
}

/** Returns the newest migration that the database has run; null for none. */
export async function findNewestMigration(db: Db): Promise<string | null> {
  return [...(await listAppliedMigrations(db))].sort().at(-1) ?? null
}

/**
 * Returns the migrations that the database has run. Startup checks this instead of loading the code of every migration.
 */
export async function listAppliedMigrations(db: Db): Promise<Set<string>> {
  const exists = await sql<{ there: boolean }>`select to_regclass('kysely_migration') is not null as "there"`.execute(
    db,
  )
  if (exists.rows[0]?.there !== true) return new Set()
  const done = await sql<{ name: string }>`select "name" from "kysely_migration"`.execute(db)
  return new Set(done.rows.map(({ name }) => name))
}
