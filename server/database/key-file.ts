import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { assertNotRestoring, DataFolderUnusable } from './data-folder.ts'
import { makeFolder } from './make-folder.ts'

/** The keys beside an embedded database: the present one, which is made where there is none, and while it is changed the one before it. */
export function keysInDataFolder(file: string): { encryptionKey: Buffer; previousEncryptionKey: Buffer | null } {
  if (!existsSync(file)) {
    // The key of a backup belongs there.
    assertNotRestoring(path.dirname(file))
    makeFolder(path.dirname(file))
    write(file, randomBytes(32))
  }
  const previous = previousOf(file)
  return { encryptionKey: read(file), previousEncryptionKey: existsSync(previous) ? read(previous) : null }
}

/** Puts a new key in the place of the present one, which stays beside it. Both are there whenever a crash may come. */
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

/** To be called when nothing needs the key before the present one any more. */
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
    // A full disk leaves an empty file behind, which the next start would take for the key.
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') rmSync(file, { force: true })
    throw error
  }
}

function read(file: string): Buffer {
  const key = Buffer.from(readFileSync(file, 'utf8'), 'base64')
  if (key.length !== 32)
    throw new DataFolderUnusable(`${file} does not hold a key of 32 bytes; restore it from a backup.`)
  return key
}
