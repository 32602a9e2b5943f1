import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createFolder } from './create-folder.ts'

export class DataFolderInUseError extends Error {}

/** Thrown if the folder cannot be created, read, or written. The message is written for the operator. */
export class DataFolderUnusableError extends Error {}

/** The folder into which a restore unpacks the backup. The folder is deleted once the restore has finished. */
export const RESTORE_FOLDER = 'restoring'

/** Throws if the folder contains an unfinished restore, because the folder would otherwise look empty at startup. */
export function assertNoUnfinishedRestore(folder: string): void {
  if (!existsSync(path.join(folder, RESTORE_FOLDER))) return
  throw new DataFolderUnusableError(
    `A restore into ${folder} was interrupted. Run the restore again, or remove ${path.join(folder, RESTORE_FOLDER)}.`,
  )
}

/**
 * The process that uses the data folder locks this file. The file is never deleted, because two processes can lock a
 * deleted file and its replacement.
 */
export const LOCK_FILE = 'owner.lock'

/**
 * Shows operators, and versions that do not use the lock, which process uses the folder. The file has no effect on the
 * claim.
 */
export const OWNER_FILE = 'owner.pid'

/**
 * Claims a folder for the current process. Without a claim, a second process could open the embedded database and
 * corrupt it. The claim is a lock that the kernel holds until the process ends, even if the process is killed. The lock
 * also works between containers, whose process IDs are unrelated (docs/decisions/data-folder-lock.md).
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

/** Keeps references to locks, because the garbage collector would otherwise close them. */
const openLocks = new Set<DatabaseSync>()

function lockFile(folder: string): DatabaseSync {
  const file = path.join(folder, LOCK_FILE)
  createPrivateFile(file)
  let lock: DatabaseSync | null = null
  try {
    lock = new DatabaseSync(file, { timeout: 0 })
    // A journal file would have to be deleted after a crash, and this database never writes data.
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

// SQLite's errors for a lock that another process holds, and for a file system without locks.
const SQLITE_BUSY = 5

// Closing a file that this process has locked would release the lock, so an existing file is not opened.
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

/** Runs code that reads or writes the data folder, and converts file system errors into readable messages. */
export function runWithReadableErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toDataFolderError(error) ?? error
  }
}

/** Returns a DataFolderUnusableError for a file system error; undefined for any other error. */
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
