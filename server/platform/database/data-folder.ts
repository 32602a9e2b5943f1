import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createFolder } from './create-folder.ts'

export class DataFolderInUseError extends Error {}

/** Thrown if the folder cannot be created, read, or written. The message is for the operator. */
export class DataFolderUnusableError extends Error {}

/** The folder in which a restore unpacks the backup. It is deleted when the restore is finished. */
export const RESTORE_FOLDER = 'restoring'

/** Throws if the folder contains an unfinished restore. Otherwise, the service would start with an empty database. */
export function assertNoUnfinishedRestore(folder: string): void {
  if (!existsSync(path.join(folder, RESTORE_FOLDER))) return
  throw new DataFolderUnusableError(
    `A restore into ${folder} was interrupted. Run the restore again, or remove ${path.join(folder, RESTORE_FOLDER)}.`,
  )
}

/**
 * The file that the process with the data folder locks. It is never deleted. Otherwise, one process could hold a lock
 * on the deleted file while another locks the new file.
 */
export const LOCK_FILE = 'owner.lock'

/**
 * The file from which operators, and versions without the lock, can see which process uses the folder. It does not
 * affect the claim.
 */
export const OWNER_FILE = 'owner.pid'

/**
 * Claims a folder for the current process. Without the claim, a second process could open the embedded database and
 * corrupt it. The claim is a file lock. The kernel releases it when the process ends, even if the process is killed.
 * The lock also works between containers, whose process IDs are unrelated (docs/decisions/data-folder-lock.md).
 *
 * @throws {DataFolderInUseError}
 * @throws {DataFolderUnusableError}
 */
export function claimDataFolder(folder: string): { release(): void } {
  return runWithReadableErrors(() => {
    createFolder(folder)
    const lock = lockFile(folder)
    const owner = path.join(folder, OWNER_FILE)
    try {
      writeFileSync(owner, `${process.pid}\n`, { mode: 0o600 })
    } catch (error) {
      openLocks.delete(lock)
      lock.close()
      throw error
    }
    return {
      release() {
        rmSync(owner, { force: true })
        openLocks.delete(lock)
        lock.close()
      },
    }
  })
}

/** References to the locks. Without them, the garbage collector would close the locks. */
const openLocks = new Set<DatabaseSync>()

function lockFile(folder: string): DatabaseSync {
  const file = path.join(folder, LOCK_FILE)
  createPrivateFile(file)
  let lock: DatabaseSync | null = null
  try {
    lock = new DatabaseSync(file, { timeout: 0 })
    // Write no journal file, because it would have to be deleted after a crash. This database never contains data.
    lock.exec('pragma journal_mode = memory')
    lock.exec('begin exclusive')
    openLocks.add(lock)
    return lock
  } catch (error) {
    lock?.close()
    const { errcode, message } = error as { errcode?: unknown; message: string }
    if (errcode === SQLITE_BUSY) throw new DataFolderInUseError(describeOwner(folder))
    throw new DataFolderUnusableError(
      `Cannot lock ${file}: ${message}. Set DATA_DIR to a folder on a local disk that this user can write to.`,
    )
  }
}

// The error codes of SQLite if another process holds a lock, and if the file system does not support locks.
const SQLITE_BUSY = 5

// Do not open an existing file. If this process has locked it, closing the file would release the lock.
function createPrivateFile(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function describeOwner(folder: string): string {
  const owner = readOwner(path.join(folder, OWNER_FILE))
  const remedy = 'Stop the process first, or set DATA_DIR to another folder.'
  return owner === null
    ? `${folder} is in use by another process, or its file system does not support file locks. ${remedy}`
    : `${folder} is in use by process ${owner}, possibly in another container. ${remedy}`
}

/**
 * Calls a function that uses the data folder, and converts file system errors to messages that operators understand.
 */
export function runWithReadableErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toDataFolderError(error) ?? error
  }
}

/** Returns a DataFolderUnusableError for a file system error; undefined for all other errors. */
export function toDataFolderError(error: unknown): DataFolderUnusableError | undefined {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return undefined
  const remedy =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? 'Free up space on its disk'
      : 'Set DATA_DIR to a folder that this user can write to'
  return new DataFolderUnusableError(`Cannot use the data folder: ${message}. ${remedy}.`)
}

function readOwner(file: string): number | null {
  try {
    const pid = Number(readFileSync(file, 'utf8').trim())
    return Number.isInteger(pid) && pid > 0 ? pid : null
  } catch {
    return null
  }
}
