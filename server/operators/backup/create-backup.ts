import {
  createWriteStream,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { sql } from 'kysely'
import { create } from 'tar'
import { type Config, readConfig } from '../../platform/config/config.ts'
import { claimDataFolder } from '../../platform/database/data-folder.ts'
import { type Database, openDatabase } from '../../platform/database/database.ts'
import { findNewestMigration } from '../../platform/database/migrate.ts'
import { resolveEncryptionKey } from '../../platform/encryption/encryption-key.ts'
import { readOwnVersion } from '../../platform/runtime/version.ts'
import {
  ARCHIVE_NAMES,
  BackupError,
  type BackupNote,
  FORMAT,
  getDatabaseFolder,
  readEmbeddedConfig,
} from './backup-format.ts'

export interface CompletedBackup extends BackupNote {
  file: string
  bytes: number
  /**
   * A sentence for the operator about the encryption key: that the backup contains the key, or which key to store
   * elsewhere.
   */
  encryptionKey: string
}

/**
 * Streams the embedded database and the attached files into a file, so that they can be of any size. The file gets its
 * final name when it is complete. Until then, this process locks the data folder, and no service can start on it.
 */
export async function createBackup(
  env: NodeJS.ProcessEnv,
  requested: { out: string; withKey: boolean },
): Promise<CompletedBackup> {
  const folder = getDatabaseFolder(readEmbeddedConfig(env))
  if (!existsSync(folder))
    throw new BackupError(
      `No embedded database exists in ${path.dirname(folder)}. Set DATA_DIR to the data folder of the service.`,
    )
  const file = path.resolve(requested.out)
  if (existsSync(file)) throw new BackupError(`${file} already exists. Choose another file.`)
  const { config, migration } = await inspectDatabase(env)
  const claim = claimDataFolder(config.dataDir)
  try {
    const note: BackupNote = {
      format: FORMAT,
      version: readOwnVersion(),
      createdAt: new Date().toISOString(),
      migration,
    }
    await writeArchive(file, folder, note, requested.withKey ? config.encryptionKey : null)
    return { file, bytes: statSync(file).size, ...note, encryptionKey: describeKey(env, config, requested.withKey) }
  } finally {
    claim.release()
  }
}

// Opens the database once, which completes any crash recovery, and closes it, so that its files are consistent.
async function inspectDatabase(env: NodeJS.ProcessEnv): Promise<{ config: Config; migration: string }> {
  const provided = readConfig(env)
  const database = await openDatabase(provided)
  try {
    const migration = await findNewestMigration(database.statements)
    if (migration === null)
      throw new BackupError(
        'The database is empty, because the service has never started with it. Start the service first.',
      )
    const { config } = await resolveEncryptionKey(provided, database)
    await checkpoint(database)
    return { config, migration }
  } finally {
    await database.close()
  }
}

async function checkpoint(database: Database): Promise<void> {
  await sql`checkpoint`.execute(database.statements)
}

async function writeArchive(file: string, folder: string, note: BackupNote, key: Buffer | null): Promise<void> {
  const staging = mkdtempSync(path.join(tmpdir(), 'plumbline-backup-'))
  const partial = `${file}.partial`
  try {
    writeFileSync(path.join(staging, ARCHIVE_NAMES.note), JSON.stringify(note, null, 2))
    if (key !== null) writeFileSync(path.join(staging, ARCHIVE_NAMES.key), key.toString('base64'), { mode: 0o600 })
    symlinkSync(folder, path.join(staging, ARCHIVE_NAMES.database))
    const files = path.join(path.dirname(folder), ARCHIVE_NAMES.files)
    const hasFiles = existsSync(files)
    if (hasFiles) symlinkSync(files, path.join(staging, ARCHIVE_NAMES.files))
    // The note is first, so that it can be read without the rest of the archive.
    const names = [
      ARCHIVE_NAMES.note,
      ...(key === null ? [] : [ARCHIVE_NAMES.key]),
      ARCHIVE_NAMES.database,
      ...(hasFiles ? [ARCHIVE_NAMES.files] : []),
    ]
    // The file contains the data of all builders, so only its owner may read it.
    const out = createWriteStream(partial, { mode: 0o600 })
    await pipeline(create({ gzip: true, cwd: staging, follow: true, portable: true, strict: true }, names), out)
    renameSync(partial, file)
  } finally {
    rmSync(staging, { recursive: true, force: true })
    rmSync(partial, { force: true })
  }
}

function describeKey(env: NodeJS.ProcessEnv, { dataDir }: Config, isIncluded: boolean): string {
  if (isIncluded) return 'The backup contains the encryption key. Anyone who has the file can decrypt its data.'
  const place = env.ENCRYPTION_KEY ? 'ENCRYPTION_KEY' : path.join(dataDir, ARCHIVE_NAMES.key)
  return `The backup does not contain the encryption key, and cannot be restored without it. Store a copy of ${place} elsewhere.`
}
