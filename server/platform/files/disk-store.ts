import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { createFolder } from '../database/create-folder.ts'
import { toDataFolderError } from '../database/data-folder.ts'
import { createMissingContentProblem, type FileStore, StoreUnusableError } from './file-store.ts'

/** Returns a file store in a folder, with a subfolder for each organization. */
export function createDiskStore(root: string): FileStore {
  // Distribute files among subfolders by the random end of their IDs, so that each subfolder contains only about a
  // thousandth of an organization's files.
  const placeOf = (key: string) => {
    const [organizationId = '', name = ''] = key.split('/')
    return path.join(root, organizationId, name.slice(-2), name)
  }
  return {
    async put(key, from) {
      const place = placeOf(key)
      const folder = path.dirname(place)
      const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 })
      await flushToDisk(from)
      // On the same disk, renaming a file either succeeds completely or has no effect.
      await rename(from, place)
      await flushToDisk(folder)
      // A new folder is only safe from a power failure after its parent folder is flushed.
      if (firstMade === undefined) return
      for (let created = folder; created.length >= firstMade.length; created = path.dirname(created))
        await flushToDisk(path.dirname(created))
    },

    async open(key, range) {
      const handle = await open(placeOf(key), 'r').catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? createMissingContentProblem() : error
      })
      return createReadStream('', { fd: handle, ...(range !== null && { start: range.first, end: range.last }) })
    },

    async remove(key) {
      await rm(placeOf(key), { force: true })
    },

    async removeAll(organizationId) {
      // An upload in progress can still add a file to a folder that is being deleted, so retry.
      await rm(path.join(root, organizationId), { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    },

    isLocal: true,

    async check() {
      try {
        await assertWritable(root)
      } catch (error) {
        throw new StoreUnusableError(toDataFolderError(error)?.message ?? String(error))
      }
    },
  }
}

/**
 * The size of the file for checking whether the store is writable. Disks allocate space in blocks of this size, so a
 * full disk is detected.
 */
const PROBE_BYTES = 4096

async function assertWritable(folder: string): Promise<void> {
  createFolder(folder)
  const place = path.join(folder, `check-${randomUUID()}`)
  const handle = await open(place, 'wx', 0o600)
  try {
    await handle.writeFile(Buffer.alloc(PROBE_BYTES, 1))
    await handle.sync()
  } finally {
    await handle.close()
    await rm(place, { force: true })
  }
}

/** Flushes a file or folder to the disk, so that it survives a power failure. */
async function flushToDisk(place: string): Promise<void> {
  const handle = await open(place, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
