import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { assertNotRestoring, DataFolderUnusable } from './data-folder.ts'
import { makeFolder } from './make-folder.ts'

/**
 * Returns the keys stored with an embedded database: the current one, created if missing, and the previous one during a
 * rotation.
 */
export function keysInDataFolder(file: string): { encryptionKey: Buffer; previousEncryptionKey: Buffer | null } {
  if (!existsSync(file)) {
    // After a restore, the key of the backup belongs there.
    assertNotRestoring(path.dirname(file))
    makeFolder(path.dirname(file))
    write(file, randomBytes(32))
  }
  const previous = previousOf(file)
  return { encryptionKey: read(file), previousEncryptionKey: existsSync(previous) ? read(previous) : null }
}

/** Replaces the current key and keeps it as the previous one. Both exist at every point where the process may crash. */
export function changeKeyFile(file: string): Buffer {
  const key = randomBytes(32)
  const [previous, next] = [previousOf(file), `${file}.next`]
  rmSync(previous, { force: true })
  rmSync(next, { force: true })
  write(previous, read(file))
  write(next, key)
  renameSync(next, file)
  return key
}

/** Deletes the previous key. Call this when nothing needs it any longer. */
export function forgetPreviousKey(file: string): void {
  rmSync(previousOf(file), { force: true })
}

function previousOf(file: string): string {
  return `${file}.previous`
}

function write(file: string, key: Buffer): void {
  try {
    writeFileSync(file, key.toString('base64'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    // A full disk leaves an empty file behind, which the next start would use as the key.
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') rmSync(file, { force: true })
    throw error
  }
}

function read(file: string): Buffer {
  const key = Buffer.from(readFileSync(file, 'utf8'), 'base64')
  if (key.length !== 32)
    throw new DataFolderUnusable(`${file} does not contain a 32-byte key. Restore the file from a backup.`)
  return key
}
