import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createFolder } from './create-folder.ts'
import { assertNoUnfinishedRestore, DataFolderUnusableError } from './data-folder.ts'

/**
 * Returns the keys that are stored with an embedded database: the current key, which is created if it is missing, and
 * during a rotation the previous key.
 */
export function readOrCreateKeys(file: string): { encryptionKey: Buffer; previousEncryptionKey: Buffer | null } {
  if (!existsSync(file)) {
    // Create no key during an unfinished restore, which will write the key of the backup to this folder.
    assertNoUnfinishedRestore(path.dirname(file))
    createFolder(path.dirname(file))
    writeKey(file, randomBytes(32))
  }
  const previous = previousKeyPath(file)
  return { encryptionKey: readKey(file), previousEncryptionKey: existsSync(previous) ? readKey(previous) : null }
}

/**
 * Replaces the current key, which becomes the previous key. Both keys are on the disk at every point at which the
 * process may crash.
 */
export function rotateKeyFile(file: string): Buffer {
  const key = randomBytes(32)
  const [previous, next] = [previousKeyPath(file), `${file}.next`]
  rmSync(previous, { force: true })
  rmSync(next, { force: true })
  writeKey(previous, readKey(file))
  writeKey(next, key)
  renameSync(next, file)
  return key
}

/** Deletes the previous key. Call this function when no data is encrypted with it anymore. */
export function deletePreviousKey(file: string): void {
  rmSync(previousKeyPath(file), { force: true })
}

function previousKeyPath(file: string): string {
  return `${file}.previous`
}

function writeKey(file: string, key: Buffer): void {
  try {
    writeFileSync(file, key.toString('base64'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    // A full disk leaves an empty file. Delete it, because the next start would use it as the key.
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') rmSync(file, { force: true })
    throw error
  }
}

function readKey(file: string): Buffer {
  const key = Buffer.from(readFileSync(file, 'utf8'), 'base64')
  if (key.length !== 32)
    throw new DataFolderUnusableError(`${file} does not contain a 32-byte key. Restore the file from a backup.`)
  return key
}
