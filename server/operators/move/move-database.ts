import { existsSync } from 'node:fs'
import path from 'node:path'
import type { EnvironmentConfig } from '../../platform/config/config.ts'
import { type Database, openDatabase } from '../../platform/database/database.ts'
import { listKnownMigrations } from '../../platform/database/migrate.ts'
import { findDeployment } from '../../platform/encryption/encryption-key.ts'
import { ARCHIVE_NAMES, databaseFolderOf, readEmbeddedConfig } from '../backup/backup-format.ts'
import { copyTable } from './copy-table.ts'
import { MoveRefused } from './move-refused.ts'
import { listMovedTables, type MovedTable, readContent, type TableContent } from './moved-tables.ts'
import { assertSameSchema, completeTarget, emptyTable, prepareTarget } from './target.ts'

export interface MoveResult {
  continued: boolean
  /** The content of each table, the same in both databases. */
  tables: ({ name: string } & TableContent)[]
  rows: number
  /** Configuration changes to make, in order. */
  next: string[]
}

type ReportProgress = (sentence: () => string) => void

/** Short, because a person is waiting, or a script that can retry. */
const DATABASE_WAIT_MS = 5000

/**
 * Copies the embedded database to an empty PostgreSQL database. An interrupted move continues when it is run again. The
 * embedded database does not change. This process holds its folder, so that no service writes to it meanwhile.
 *
 * @throws {MoveRefused}
 */
export async function moveDatabase(env: NodeJS.ProcessEnv, to: string, say: ReportProgress): Promise<MoveResult> {
  if (env.DATABASE_URL)
    throw new MoveRefused('DATABASE_URL is set. Unset it: the move reads the embedded database in DATA_DIR.')
  if (!/^postgres(ql)?:\/\//.test(to))
    throw new MoveRefused('--to must be a URL such as postgres://user:password@host:5432/name.')
  const provided = readEmbeddedConfig(env)
  if (!existsSync(databaseFolderOf(provided)))
    throw new MoveRefused(`No embedded database exists in ${provided.dataDir}. Set DATA_DIR to its folder.`)
  const source = await openDatabase({ ...provided, databaseUrl: null })
  try {
    const known = await listKnownMigrations()
    await assertSameSchema(source.statements, known)
    const target = await openDatabase(
      { ...provided, databaseUrl: to, databaseStatementTimeoutMs: 0 },
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

// After an interruption the source may have been used again. A copy that does not match is then repeated from the
// beginning.
async function moveTable(
  source: Database,
  target: Database,
  table: MovedTable,
  say: ReportProgress,
): Promise<TableContent> {
  const expected = await readContent(source.statements, table)
  let copied = (await readContent(target.statements, table)).rows
  for (const attempt of ['continue', 'anew'] as const) {
    if (attempt === 'anew') {
      await emptyTable(target, table)
      copied = 0
    }
    const isCopied = await tryToCopy(attempt, () =>
      copyTable(source.statements, target.statements, table, (rows) => {
        copied += rows
        say(() => `${table.name}: ${copied} of ${expected.rows}`)
      }),
    )
    if (!isCopied) continue
    const found = await readContent(target.statements, table)
    if (found.rows === expected.rows && found.checksum === expected.checksum) return found
  }
  throw new MoveRefused(
    `The copy of ${table.name} differs from its source. Nothing was changed in the data folder. Run "doctor", and move to a new database.`,
  )
}

const UNIQUE_VIOLATION = '23505'

// A row that has changed since the interruption can conflict with an old copy of another one.
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
    `Start the service and try it. Then back up the new database, and remove ${databaseFolderOf({ dataDir })} when you no longer need it.`,
  ]
}
