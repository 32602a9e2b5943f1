import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { extract } from 'tar'
import type { EnvironmentConfig } from '../../platform/config/config.ts'
import {
  claimDataFolder,
  LOCK_FILE,
  OWNER_FILE,
  RESTORE_FOLDER,
  runWithReadableErrors,
  toDataFolderError,
} from '../../platform/database/data-folder.ts'
import { createEmbeddedDatabase, type Database } from '../../platform/database/database.ts'
import { listKnownMigrations } from '../../platform/database/migrate.ts'
import { resolveEncryptionKey } from '../../platform/encryption/encryption-key.ts'
import { readOwnVersion } from '../../platform/runtime/version.ts'
import {
  ARCHIVE_NAMES,
  BackupError,
  type BackupNote,
  getDatabaseFolder,
  isBackupNote,
  readEmbeddedConfig,
} from './backup-format.ts'

export interface RestoredBackup extends BackupNote {
  dataDir: string
}

/**
 * Restores a backup into an empty data folder. Unpacks the backup next to the final location, opens the database there
 * with its encryption key, and only then moves everything. After an interrupted restore, a service does not start on
 * the data folder.
 */
export async function restoreBackup(env: NodeJS.ProcessEnv, file: string): Promise<RestoredBackup> {
  const provided = readEmbeddedConfig(env)
  const { dataDir } = provided
  if (!existsSync(file)) throw new BackupError(`The file ${path.resolve(file)} does not exist.`)
  const claim = claimDataFolder(dataDir)
  const unpacked = path.join(dataDir, RESTORE_FOLDER)
  try {
    assertEmpty(dataDir)
    runWithReadableErrors(() => {
      rmSync(unpacked, { recursive: true, force: true })
      mkdirSync(unpacked, { mode: 0o700 })
    })
    try {
      await unpackArchive(file, unpacked)
      const note = readNote(unpacked, file)
      await assertKnownVersion(note)
      await assertDatabaseOpens(provided, unpacked, file)
      runWithReadableErrors(() => moveIntoPlace(dataDir, unpacked, provided))
      return { dataDir, ...note }
    } finally {
      rmSync(unpacked, { recursive: true, force: true })
    }
  } finally {
    claim.release()
  }
}

// The files that may already be in the folder: the encryption key, and files from an interrupted restore, which are
// replaced.
const ALLOWED_FILES = new Set<string>([ARCHIVE_NAMES.key, RESTORE_FOLDER, LOCK_FILE, OWNER_FILE])

function assertEmpty(dataDir: string): void {
  const there = runWithReadableErrors(() => readdirSync(dataDir))
  // An interrupted restore may have left the attached files, because they are moved before the database.
  const mayBeThere = new Set([...ALLOWED_FILES, ...(there.includes(RESTORE_FOLDER) ? [ARCHIVE_NAMES.files] : [])])
  const found = there.filter((name) => !mayBeThere.has(name))
  if (found.length === 0) return
  throw new BackupError(
    `${dataDir} is not empty (${found.slice(0, 5).join(', ')}). Set DATA_DIR to a new folder, or move its contents away.`,
  )
}

async function unpackArchive(file: string, into: string): Promise<void> {
  const isOurs = (name: string) => {
    const [first = ''] = path.posix.normalize(name).split('/')
    return Object.values<string>(ARCHIVE_NAMES).includes(first)
  }
  try {
    await extract({
      ...{ file, cwd: into, strict: true, preserveOwner: false },
      filter: (name, entry) => isOurs(name) && 'type' in entry && ['File', 'Directory'].includes(entry.type),
    })
  } catch (error) {
    throw toDataFolderError(error) ?? new BackupError(`Cannot read ${file}: ${describeError(error)}`)
  }
}

function readNote(unpacked: string, file: string): BackupNote {
  try {
    const note: unknown = JSON.parse(readFileSync(path.join(unpacked, ARCHIVE_NAMES.note), 'utf8'))
    if (isBackupNote(note) && existsSync(getDatabaseFolder({ dataDir: unpacked }))) return note
  } catch {
    // The archive has no note, or the note is not from Plumbline. The function throws below.
  }
  throw new BackupError(`${file} is not a backup that this version of Plumbline can read.`)
}

async function assertKnownVersion({ migration, version }: BackupNote): Promise<void> {
  if ((await listKnownMigrations()).includes(migration)) return
  throw new BackupError(
    `The backup has a newer schema (${migration}, from Plumbline ${version}) than Plumbline ${readOwnVersion()} supports. Restore it with Plumbline ${version} or later.`,
  )
}

// Opens the database, so that the restore fails here and not at the next start if the backup is damaged or has another
// key.
async function assertDatabaseOpens(provided: EnvironmentConfig, unpacked: string, file: string): Promise<void> {
  const encryptionKey = chooseKey(provided, unpacked)
  if (encryptionKey === null) {
    throw new BackupError(
      `${file} does not contain the encryption key. Set ENCRYPTION_KEY, or copy the file ${ARCHIVE_NAMES.key} of the original data folder to ${provided.dataDir}.`,
    )
  }
  const database = await openDatabaseAt(getDatabaseFolder({ dataDir: unpacked })).catch((error: unknown) => {
    throw toDataFolderError(error) ?? new BackupError(`Cannot open the database in ${file}: ${describeError(error)}`)
  })
  try {
    await resolveEncryptionKey({ ...provided, encryptionKey }, database)
  } finally {
    await database.close()
  }
}

async function openDatabaseAt(folder: string): Promise<Database> {
  const { openPGlite } = await import('../../platform/database/open-pglite.ts')
  return createEmbeddedDatabase(await openPGlite(folder, { fsync: true }))
}

function chooseKey({ encryptionKey, dataDir }: EnvironmentConfig, unpacked: string): Buffer | null {
  if (encryptionKey !== null) return encryptionKey
  const file = [dataDir, unpacked]
    .map((folder) => path.join(folder, ARCHIVE_NAMES.key))
    .find((each) => existsSync(each))
  return file === undefined ? null : Buffer.from(readFileSync(file, 'utf8'), 'base64')
}

// Moves the encryption key and the attached files first. Without a database, the folder is not treated as a data folder
// yet.
function moveIntoPlace(dataDir: string, unpacked: string, provided: EnvironmentConfig): void {
  const key = path.join(dataDir, ARCHIVE_NAMES.key)
  const restoredKey = path.join(unpacked, ARCHIVE_NAMES.key)
  if (provided.encryptionKey === null && !existsSync(key) && existsSync(restoredKey)) copyFileSync(restoredKey, key)
  const files = path.join(unpacked, ARCHIVE_NAMES.files)
  if (existsSync(files)) {
    rmSync(path.join(dataDir, ARCHIVE_NAMES.files), { recursive: true, force: true })
    renameSync(files, path.join(dataDir, ARCHIVE_NAMES.files))
  }
  renameSync(getDatabaseFolder({ dataDir: unpacked }), getDatabaseFolder({ dataDir }))
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
