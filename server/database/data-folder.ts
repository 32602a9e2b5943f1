import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeFolder } from './make-folder.ts'

export class DataFolderInUse extends Error {}

/** The folder cannot be created, read or written. The message is a sentence for the operator. */
export class DataFolderUnusable extends Error {}

/** Where a restore unpacks; the folder is removed once the restore has finished. */
export const RESTORING = 'restoring'

/** Refuses a folder with an unfinished restore, which would otherwise look empty at startup. */
export function assertNotRestoring(folder: string): void {
  if (!existsSync(path.join(folder, RESTORING))) return
  throw new DataFolderUnusable(
    `A restore into ${folder} was interrupted. Run it again, or remove ${path.join(folder, RESTORING)}.`,
  )
}

/**
 * Claims a folder for one process. The embedded database itself would let a second process open and corrupt it. A claim
 * whose process is gone (killed, or the machine restarted) is taken over.
 */
export function claimDataFolder(folder: string): { release(): void } {
  return inDataFolder(() => {
    makeFolder(folder)
    const file = path.join(folder, 'owner.pid')
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        writeFileSync(file, `${process.pid}\n`, { flag: 'wx', mode: 0o600 })
        return { release: () => rmSync(file, { force: true }) }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const owner = readOwner(file)
      if (owner !== null && owner !== process.pid && isAlive(owner)) {
        throw new DataFolderInUse(
          `${folder} is in use by process ${owner}. Stop it first, or set DATA_DIR to another folder.`,
        )
      }
      rmSync(file, { force: true })
    }
    throw new DataFolderInUse(`${folder} is being opened by another process at this moment.`)
  })
}

/** Runs code that reads or writes the data folder, and turns a file system error into a sentence. */
export function inDataFolder<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asUnusable(error) ?? error
  }
}

/** The sentence for a file system error; undefined for any other error. */
export function asUnusable(error: unknown): DataFolderUnusable | undefined {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return undefined
  const remedy =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? 'Make room on its disk'
      : 'Set DATA_DIR to a folder that this user may write to'
  return new DataFolderUnusable(`The data folder cannot be used: ${message}. ${remedy}.`)
}

function readOwner(file: string): number | null {
  try {
    const pid = Number(readFileSync(file, 'utf8').trim())
    return Number.isInteger(pid) && pid > 0 ? pid : null
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
