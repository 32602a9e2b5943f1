import { promises as fs } from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { FileMigrationProvider, Migrator } from 'kysely/migration'
import type { Database, Db } from './database.ts'

const FOLDER = path.join(import.meta.dirname, 'migrations')

/**
 * Brings the schema up to date, in one transaction: all pending migrations or none. Any number of processes may call it
 * at once; the migrator lets them take turns by a lock, and the later ones find nothing to do.
 *
 * @returns the names of the migrations that were run
 */
export async function migrate(database: Database): Promise<string[]> {
  const known = (await fs.readdir(FOLDER)).filter((name) => name.endsWith('.ts')).sort()
  if (await isCurrent(database.statements, known.at(-1))) return []
  const migrator = new Migrator({
    db: database.sessions,
    provider: new FileMigrationProvider({ fs, path, migrationFolder: FOLDER }),
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error) throw error
  return (results ?? []).map((result) => result.migrationName)
}

// Start-up asks the database once for the newest migration instead of loading every migration's code.
async function isCurrent(db: Db, newest: string | undefined): Promise<boolean> {
  const exists = await sql<{ there: boolean }>`select to_regclass('kysely_migration') is not null as "there"`.execute(
    db,
  )
  if (exists.rows[0]?.there !== true) return false
  const done = await sql<{ name: string | null }>`select max("name") as "name" from "kysely_migration"`.execute(db)
  return done.rows[0]?.name !== undefined && `${done.rows[0].name}.ts` === newest
}
