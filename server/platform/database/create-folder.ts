import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'

/**
 * Creates a folder that only its owner can access, and any missing parents. Node's `mkdirSync(…, { recursive: true })`
 * never returns if the system reports "no such file" for a folder whose parent exists, as it does below /proc. Here
 * every error is thrown.
 */
export function createFolder(folder: string): void {
  if (existsSync(folder)) return
  const parent = path.dirname(folder)
  if (parent !== folder) createFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
