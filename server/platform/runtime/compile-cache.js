// @ts-check
import { mkdirSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import path from 'node:path'

/**
 * Keeps what Node compiles, TypeScript that it stripped too, for the next process: a start takes half as long. Enable
 * the cache before the modules are loaded: callers load the other modules by `import()`.
 */
export function keepCompiled() {
  const folder = compileCacheFolder()
  if (folder !== null) enableCompileCache(folder)
}

/**
 * `plumbline` in the user's own cache folder; null when that cannot be written, or is not safe to use. Node runs what it
 * finds there as code, so it may not be a folder that another user of the machine made or can write to.
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
    // Windows has no user ids, and keeps each user's folders to that user.
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
