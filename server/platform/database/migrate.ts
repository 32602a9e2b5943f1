import { promises as fs } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { FileMigrationProvider, type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import { DatabaseUnavailableError } from './connection-errors.ts'
import type { Database, Db } from './database.ts'
import { DISTRIBUTION_SETTINGS, distributeNewTables } from './distribution.ts'
import { buildIndexesAhead, listIndexesToBuildAhead } from './large-indexes.ts'
import { enableRowLevelSecurity } from './row-level-security.ts'
import { assertNoUnfinishedMove } from './unfinished-move.ts'

const FOLDER = path.join(import.meta.dirname, 'migrations')

/**
 * Executes all pending migrations in one transaction, and then enables tenant isolation on new tables. Several
 * processes can call this function concurrently. Because of the migrator's lock, only one of them executes migrations,
 * and the others then find no pending ones. If a later version has migrated the database, changes nothing. The earlier
 * version continues to run during an upgrade, and may even be restarted (see docs/operating/upgrading.md).
 *
 * @returns the names of the executed migrations
 * @throws {DatabaseUnavailableError} if the database user may not change the schema, or if the database is the target
 * of an unfinished move
 */
export async function migrate(database: Database): Promise<string[]> {
  await assertNoUnfinishedMove(database.statements)
  return migrateMoveTarget(database)
}

/** Like `migrate`, but for a database that is the target of a move. */
export async function migrateMoveTarget(database: Database): Promise<string[]> {
  const names = await runPending(database).catch((error: unknown) => {
    const { code, message } = error as { code?: unknown; message: string }
    if (code !== INSUFFICIENT_PRIVILEGE) throw error
    throw new DatabaseUnavailableError(
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
  const files = new FileMigrationProvider({ fs, path, migrationFolder: FOLDER })
  const provider = database.distributed ? distributeNewTablesWithEach(files) : files
  // In a new database, all tables are empty or do not exist yet.
  if (done.size > 0) {
    const pending = Object.entries(await provider.getMigrations()).filter(([name]) => !done.has(name))
    await buildIndexesAhead(
      database,
      pending.flatMap(([, migration]) => listIndexesToBuildAhead(migration)),
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

/** Returns the migrations. Each of them then also distributes the tables that it creates. */
function distributeNewTablesWithEach(provider: MigrationProvider): MigrationProvider {
  return {
    async getMigrations() {
      const migrations = Object.entries(await provider.getMigrations()).map(
        ([name, migration]): [string, Migration] => [
          name,
          {
            ...migration,
            async up(db) {
              for (const setting of DISTRIBUTION_SETTINGS) await sql.raw(setting).execute(db)
              await migration.up(db)
              await distributeNewTables(db)
            },
          },
        ],
      )
      return Object.fromEntries(migrations)
    },
  }
}

// Not longer than the time for which requests wait. In the embedded database, there are no other processes and no locks
// to wait for.
const LOCK_WAIT_MS = 3000
const PAUSE_MS = 1000
const MAX_WAIT_MS = 3_600_000
/** The error codes for a lock timeout and for a deadlock. */
const BLOCKED_CODES: ReadonlySet<unknown> = new Set(['55P03', '40P01'])

/**
 * Executes a schema change that lets other transactions proceed. While a schema change waits for a lock, all statements
 * on the table wait as well. The wait can take minutes, for example if a dump is reading the table. Therefore, the
 * change waits only for a short time, pauses so that other transactions can proceed, and tries again, up to a maximum
 * time.
 *
 * @param db a connection that no other code uses during the change
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

/** Returns the names of all migrations of this version, in order. */
export async function listKnownMigrations(): Promise<string[]> {
  const files = (await fs.readdir(FOLDER)).filter((name) => name.endsWith('.ts')).sort()
  return files.map((name) => path.basename(name, '.ts'))
}

/** Returns the name of the newest migration of the database; null if there is none. */
export async function findNewestMigration(db: Db): Promise<string | null> {
  return [...(await listAppliedMigrations(db))].sort().at(-1) ?? null
}

/**
 * Returns the names of the executed migrations. Suitable for startup, because it does not load the code of all
 * migrations.
 */
export async function listAppliedMigrations(db: Db): Promise<Set<string>> {
  const exists = await sql<{ there: boolean }>`select to_regclass('kysely_migration') is not null as "there"`.execute(
    db,
  )
  if (exists.rows[0]?.there !== true) return new Set()
  const done = await sql<{ name: string }>`select "name" from "kysely_migration"`.execute(db)
  return new Set(done.rows.map(({ name }) => name))
}
