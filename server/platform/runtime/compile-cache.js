// @ts-check
import { mkdirSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import path from 'node:path'

/**
 * Keeps the code that Node compiles, including TypeScript with types stripped, for the next process. Startup then takes
 * half as long. Call this function before other modules are loaded. Callers load the other modules with `import()`.
 */
export function enableCompilationCache() {
  const folder = compileCacheFolder()
  if (folder !== null) enableCompileCache(folder)
}

/**
 * Returns the folder `plumbline` in the user's own cache folder; null if that folder cannot be written to, or is not
 * safe to use. Node runs the files in this folder as code. The folder must therefore not be created or writable by
 * another user of the machine.
 *
 * @returns {string | null}
 */
function compileCacheFolder() {
  try {
    const caches = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache')
    const folder = path.join(caches, 'plumbline')
    makeFolder(caches)
    makeFolder(folder)
    const { uid, mode } = statSync(folder)
    // Windows has no numeric user IDs, and other users cannot access a user's folders.
    const isOurs = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
    return isOurs ? folder : null
  } catch {
    return null
  }
}

/** @param {string} folder */
function makeFolder(folder) {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
  }
}
