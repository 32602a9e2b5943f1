import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export class DataFolderInUse extends Error {}

/**
 * Claims a folder for one process. The embedded database itself would let a second process open and spoil it.
 * A claim whose process is gone (killed, or the machine restarted) is taken over.
 */
export function claimDataFolder(folder: string): { release(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
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
