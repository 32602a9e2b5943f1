import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { extract } from 'tar'
import type { GivenConfig } from '../../platform/config/config.ts'
import {
  asUnusable,
  claimDataFolder,
  inDataFolder,
  LOCK_FILE,
  OWNER_FILE,
  RESTORING,
} from '../../platform/database/data-folder.ts'
import { type Database, overPGlite } from '../../platform/database/database.ts'
import { knownMigrations } from '../../platform/database/migrate.ts'
import { withEncryptionKey } from '../../platform/encryption/encryption-key.ts'
import { ownVersion } from '../../platform/runtime/version.ts'
import { BackupRefused, databaseFolder, embeddedConfig, isNote, NAMES, type Note } from './archive.ts'

export interface Restored extends Note {
  dataDir: string
}

/**
 * Restores a backup into an empty data folder. It is unpacked next to the database's final location, opened there with
 * its key, and only then moved. A service does not start on a folder with an interrupted restore.
 */
export async function restore(env: NodeJS.ProcessEnv, file: string): Promise<Restored> {
  const given = embeddedConfig(env)
  const { dataDir } = given
  if (!existsSync(file)) throw new BackupRefused(`The file ${path.resolve(file)} does not exist.`)
  const claim = claimDataFolder(dataDir)
  const unpacked = path.join(dataDir, RESTORING)
  try {
    assertEmpty(dataDir)
    inDataFolder(() => {
      rmSync(unpacked, { recursive: true, force: true })
      mkdirSync(unpacked, { mode: 0o700 })
    })
    try {
      await unpack(file, unpacked)
      const note = readNote(unpacked, file)
      await assertKnown(note)
      await assertOpens(given, unpacked, file)
      inDataFolder(() => put(dataDir, unpacked, given))
      return { dataDir, ...note }
    } finally {
      rmSync(unpacked, { recursive: true, force: true })
    }
  } finally {
    claim.release()
  }
}

// The key may already be there. Files left by an interrupted restore are replaced.
const MAY_BE_THERE = new Set<string>([NAMES.key, RESTORING, LOCK_FILE, OWNER_FILE])

function assertEmpty(dataDir: string): void {
  const there = inDataFolder(() => readdirSync(dataDir))
  // The files come before the database, so an interrupted restore may have left them.
  const mayBeThere = new Set([...MAY_BE_THERE, ...(there.includes(RESTORING) ? [NAMES.files] : [])])
  const found = there.filter((name) => !mayBeThere.has(name))
  if (found.length === 0) return
  throw new BackupRefused(
    `${dataDir} is not empty (${found.slice(0, 5).join(', ')}). Set DATA_DIR to a new folder, or move its contents away.`,
  )
}

async function unpack(file: string, into: string): Promise<void> {
  const isOurs = (name: string) => {
    const [first = ''] = path.posix.normalize(name).split('/')
    return Object.values<string>(NAMES).includes(first)
  }
  try {
    await extract({
      ...{ file, cwd: into, strict: true, preserveOwner: false },
      filter: (name, entry) => isOurs(name) && 'type' in entry && ['File', 'Directory'].includes(entry.type),
    })
  } catch (error) {
    throw asUnusable(error) ?? new BackupRefused(`Cannot read ${file}: ${reason(error)}`)
  }
}

function readNote(unpacked: string, file: string): Note {
  try {
    const note: unknown = JSON.parse(readFileSync(path.join(unpacked, NAMES.note), 'utf8'))
    if (isNote(note) && existsSync(databaseFolder({ dataDir: unpacked }))) return note
  } catch {
    // No note, or not one of ours. Reported below.
  }
  throw new BackupRefused(`${file} is not a backup that this version of Plumbline can read.`)
}

async function assertKnown({ migration, version }: Note): Promise<void> {
  if ((await knownMigrations()).includes(migration)) return
  throw new BackupRefused(
    `The backup has a newer schema (${migration}, from Plumbline ${version}) than Plumbline ${ownVersion()} supports. Restore it with Plumbline ${version} or later.`,
  )
}

// A damaged backup, or one with another key, must fail here and not at the next start.
async function assertOpens(given: GivenConfig, unpacked: string, file: string): Promise<void> {
  const encryptionKey = keyFor(given, unpacked)
  if (encryptionKey === null) {
    throw new BackupRefused(
      `${file} does not contain the encryption key. Set ENCRYPTION_KEY, or copy the file ${NAMES.key} of the original data folder to ${given.dataDir}.`,
    )
  }
  const database = await open(databaseFolder({ dataDir: unpacked })).catch((error: unknown) => {
    throw asUnusable(error) ?? new BackupRefused(`Cannot open the database in ${file}: ${reason(error)}`)
  })
  try {
    await withEncryptionKey({ ...given, encryptionKey }, database)
  } finally {
    await database.close()
  }
}

async function open(folder: string): Promise<Database> {
  const { openPGlite } = await import('../../platform/database/open-pglite.ts')
  return overPGlite(await openPGlite(folder, { fsync: true }))
}

function keyFor({ encryptionKey, dataDir }: GivenConfig, unpacked: string): Buffer | null {
  if (encryptionKey !== null) return encryptionKey
  const file = [dataDir, unpacked].map((folder) => path.join(folder, NAMES.key)).find((each) => existsSync(each))
  return file === undefined ? null : Buffer.from(readFileSync(file, 'utf8'), 'base64')
}

// The key and the files first: without a database, the folder does not count as a data folder yet.
function put(dataDir: string, unpacked: string, given: GivenConfig): void {
  const key = path.join(dataDir, NAMES.key)
  const restoredKey = path.join(unpacked, NAMES.key)
  if (given.encryptionKey === null && !existsSync(key) && existsSync(restoredKey)) copyFileSync(restoredKey, key)
  const files = path.join(unpacked, NAMES.files)
  if (existsSync(files)) {
    rmSync(path.join(dataDir, NAMES.files), { recursive: true, force: true })
    renameSync(files, path.join(dataDir, NAMES.files))
  }
  renameSync(databaseFolder({ dataDir: unpacked }), databaseFolder({ dataDir }))
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
