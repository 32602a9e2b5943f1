import { existsSync } from 'node:fs'
import path from 'node:path'
import type { EnvironmentConfig } from '../../platform/config/config.ts'
import { type Database, openDatabase } from '../../platform/database/database.ts'
import { listKnownMigrations } from '../../platform/database/migrate.ts'
import { findDeployment } from '../../platform/encryption/encryption-key.ts'
import { ARCHIVE_NAMES, getDatabaseFolder, readEmbeddedConfig } from '../backup/backup-format.ts'
import { copyTable } from './copy-table.ts'
import { MoveError } from './move-error.ts'
import { computeTableDigest, listMovedTables, type MovedTable, type TableDigest } from './moved-tables.ts'
import { assertSameSchema, completeTarget, prepareTarget, truncateTable } from './target.ts'

export interface MoveResult {
  continued: boolean
  /** The tables with their content, which is the same in both databases. */
  tables: ({ name: string } & TableDigest)[]
  rows: number
  /** The next steps for the operator, in order. */
  next: string[]
}

type ReportProgress = (sentence: () => string) => void

/** The maximum time to wait for the database. It is short, because a user or a script that can retry is waiting. */
const DATABASE_WAIT_MS = 5000

/**
 * Copies the embedded database to an empty PostgreSQL database. If the move is interrupted, run it again to continue.
 * Does not change the embedded database. Locks its folder, so that no service writes to it during the move.
 *
 * @throws {MoveError}
 */
export async function moveDatabase(
  env: NodeJS.ProcessEnv,
  targetUrl: string,
  say: ReportProgress,
): Promise<MoveResult> {
  if (env.DATABASE_URL)
    throw new MoveError(
      'Cannot move the database while DATABASE_URL is set. Unset the variable: the move reads the embedded database in DATA_DIR.',
    )
  if (!/^postgres(ql)?:\/\//.test(targetUrl))
    throw new MoveError('--to must be a URL such as postgres://user:password@host:5432/name.')
  const provided = readEmbeddedConfig(env)
  if (!existsSync(getDatabaseFolder(provided)))
    throw new MoveError(
      `No embedded database exists in ${provided.dataDir}. Set DATA_DIR to the data folder of the service.`,
    )
  const source = await openDatabase({ ...provided, databaseUrl: null })
  try {
    const known = await listKnownMigrations()
    await assertSameSchema(source.statements, known)
    const target = await openDatabase(
      { ...provided, databaseUrl: targetUrl, databaseStatementTimeoutMs: 0 },
      { ms: DATABASE_WAIT_MS },
    )
    try {
      const { encryptionKeyDigest } = await findDeployment(source.statements)
      const continued = await prepareTarget(target, encryptionKeyDigest)
      const tables = []
      for (const table of await listMovedTables(source.statements))
        tables.push({ name: table.name, ...(await moveTable(source, target, table, say)) })
      say(() => 'restoring foreign keys and triggers')
      await completeTarget(source, target)
      const rows = tables.reduce((sum, table) => sum + table.rows, 0)
      return { continued, tables, rows, next: describeNextSteps(env, provided) }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

// Copies a table. After an interruption, a service may have changed the source. If the copy does not match the source,
// copies the table again from the beginning.
async function moveTable(
  source: Database,
  target: Database,
  table: MovedTable,
  say: ReportProgress,
): Promise<TableDigest> {
  const expected = await computeTableDigest(source.statements, table)
  let copied = (await computeTableDigest(target.statements, table)).rows
  for (const attempt of ['continue', 'anew'] as const) {
    if (attempt === 'anew') {
      await truncateTable(target, table)
      copied = 0
    }
    const isCopied = await tryToCopy(attempt, () =>
      copyTable(source.statements, target.statements, table, (rows) => {
        copied += rows
        say(() => `${table.name}: ${copied} of ${expected.rows}`)
      }),
    )
    if (!isCopied) continue
    const found = await computeTableDigest(target.statements, table)
    if (found.rows === expected.rows && found.checksum === expected.checksum) return found
  }
  throw new MoveError(
    `The copy of ${table.name} differs from its source. Nothing was changed in the data folder. Run "doctor", and move to a new database.`,
  )
}

const UNIQUE_VIOLATION = '23505'

// Returns false if rows conflict. A row that has changed since the interruption can conflict with an old copy of
// another row.
async function tryToCopy(attempt: 'continue' | 'anew', copy: () => Promise<void>): Promise<boolean> {
  try {
    await copy()
    return true
  } catch (error) {
    if (attempt === 'anew' || (error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error
    return false
  }
}

function describeNextSteps(env: NodeJS.ProcessEnv, { dataDir, filesBucket }: EnvironmentConfig): string[] {
  const keyFile = path.join(dataDir, ARCHIVE_NAMES.key)
  return [
    'Set DATABASE_URL to the value of --to, and remove EMBEDDED.',
    env.ENCRYPTION_KEY
      ? 'Keep ENCRYPTION_KEY as it is.'
      : `Set ENCRYPTION_KEY to the content of ${keyFile}. Without it, the moved data cannot be read.`,
    filesBucket === null
      ? `Keep DATA_DIR=${dataDir}: the attached files and archives stay in ${path.join(dataDir, ARCHIVE_NAMES.files)}.`
      : 'Keep the FILES_S3_ variables as they are: the attached files and archives stay in the bucket.',
    'Set WEBHOOK_ALLOW_PRIVATE=true if webhooks are delivered to private addresses.',
    `Start the service and try it. Then back up the new database, and remove ${getDatabaseFolder({ dataDir })} when you no longer need it.`,
  ]
}
