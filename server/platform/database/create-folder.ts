import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'

/**
 * Creates a folder that only its owner can access, and all missing parent folders. Throws on every error. `mkdirSync(…,
 * { recursive: true })` of Node never returns if the system reports "no such file" although the parent folder exists,
 * which happens below /proc.
 */
export function createFolder(folder: string): void {
  if (existsSync(folder)) return
  const parent = path.dirname(folder)
  if (parent !== folder) createFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have created the folder in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
