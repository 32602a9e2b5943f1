import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'

/**
 * Makes a folder that only its owner may look into, and the folders above it that are missing. Node's own
 * `mkdirSync(…, { recursive: true })` never returns where the system answers "no such file" for a folder whose parent
 * exists, as it does below /proc; here every refusal is thrown.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  const parent = path.dirname(folder)
  if (parent !== folder) makeFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
