import { mkdirSync, statSync } from 'node:fs'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { homedir } from 'node:os'
import path from 'node:path'

// A start takes half as long when what was compiled once is kept. This has to be asked for before the modules are loaded,
// so it is all here, and what was compiled is written as soon as they are, because not every process lives to its end.
const cache = compileCacheFolder()
if (cache !== null) enableCompileCache(cache)
const { serve } = await import('./serve.ts')
flushCompileCache()
await serve()

/**
 * `plumbline` in the user's own cache folder; null when that cannot be written, or is not safe to use. Node runs what it
 * finds there as code, so it may not be a folder that another user of the machine made or can write to.
 */
function compileCacheFolder(): string | null {
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

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
