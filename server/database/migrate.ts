import { promises as fs } from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { FileMigrationProvider, Migrator } from 'kysely/migration'
import type { Database, Db } from './database.ts'
import { raiseWall } from './wall.ts'

const FOLDER = path.join(import.meta.dirname, 'migrations')

/**
 * Brings the schema up to date in one transaction, all pending migrations or none, and then puts the new tables behind
 * the wall between organizations. Any number of processes may call it at once: the migrator's lock lets them take
 * turns, and the later ones find nothing to do.
 *
 * @returns the names of the migrations that were run
 */
export async function migrate(database: Database): Promise<string[]> {
  const names = await runPending(database)
  await raiseWall(database)
  return names
}

async function runPending(database: Database): Promise<string[]> {
  if ((await newestMigration(database.statements)) === (await knownMigrations()).at(-1)) return []
  const migrator = new Migrator({
    db: database.sessions,
    provider: new FileMigrationProvider({ fs, path, migrationFolder: FOLDER }),
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error) throw error
  return (results ?? []).map((result) => result.migrationName)
}

/** The names of all migrations in this version, in order. */
export async function knownMigrations(): Promise<string[]> {
  const files = (await fs.readdir(FOLDER)).filter((name) => name.endsWith('.ts')).sort()
  return files.map((name) => path.basename(name, '.ts'))
}

/**
 * The newest migration that the database has run; null for none. Startup checks this instead of loading the code of
 * every migration.
 */
export async function newestMigration(db: Db): Promise<string | null> {
  const exists = await sql<{ there: boolean }>`select to_regclass('kysely_migration') is not null as "there"`.execute(
    db,
  )
  if (exists.rows[0]?.there !== true) return null
  const done = await sql<{ name: string | null }>`select max("name") as "name" from "kysely_migration"`.execute(db)
  return done.rows[0]?.name ?? null
}
