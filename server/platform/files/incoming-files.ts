import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReceivedFile } from '../calls/upload.ts'
import { validationFailed } from '../problems/problem.ts'

/** Receives files in a folder. Each file is later moved out of it or deleted. */
export interface IncomingFiles {
  receive(chunks: AsyncIterable<Buffer> | Buffer): Promise<ReceivedFile>
  /** Deletes the files of processes that have ended abruptly. */
  tidy(now: number): Promise<void>
}

/** The age at which a file is abandoned. Requests must arrive within an hour, so no upload takes longer. */
const ABANDONED_AFTER_MS = 2 * 60 * 60 * 1000

/**
 * Returns the functions for receiving files.
 *
 * @param place the folder, or functions for a folder that only this process and user can access
 */
export function createIncomingFiles(folder: string | IncomingFolder): IncomingFiles {
  const { open, tidyOthers } = typeof folder === 'string' ? useFixedFolder(folder) : folder
  return {
    async receive(chunks) {
      const place = path.join(await open(), randomUUID())
      const discard = () => rm(place, { force: true })
      const hash = createHash('sha256')
      let size = 0
      async function* counted(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
        for await (const chunk of source) {
          hash.update(chunk)
          size += chunk.length
          yield chunk
        }
      }
      try {
        const source = Buffer.isBuffer(chunks) ? Readable.from([chunks]) : chunks
        await pipeline(counted(source), createWriteStream(place, { mode: 0o600 }))
        if (size === 0) throw validationFailed([{ pointer: '', code: 'required', message: 'must not be empty' }])
      } catch (error) {
        await discard()
        throw error
      }
      return { path: place, size, sha256: hash.digest('hex'), discard }
    },

    async tidy(now) {
      await tidyOthers(now)
    },
  }
}

export interface IncomingFolder {
  /** Creates the folder if it is missing, and returns its path. */
  open(): Promise<string>
  /** Deletes the files of processes that have ended. */
  tidyOthers(now: number): Promise<void>
}

function useFixedFolder(folder: string): IncomingFolder {
  return {
    async open() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return folder
    },
    tidyOthers: (now) => removeOldEntries(folder, now, () => true),
  }
}

/**
 * Returns a new folder for this process, inside a folder to which other users can write. The name of the folder is
 * random, so other users cannot create it in advance.
 */
export function createPrivateFolder(parent: string): IncomingFolder {
  let created: Promise<string> | null = null
  return {
    async open() {
      const folder = await created?.catch(() => null)
      if (folder && existsSync(folder)) return folder
      created = mkdtemp(path.join(parent, PREFIX))
      return created
    },
    async tidyOthers(now) {
      const folder = await created?.catch(() => null)
      // Update the timestamp of the folder in use, so that the operating system does not delete it. The folder may
      // already be missing.
      if (folder) await utimes(folder, new Date(now), new Date(now)).catch(() => {})
      await removeOldEntries(parent, now, ({ name, uid }) => name.startsWith(PREFIX) && uid === process.getuid?.())
      if (folder) await removeOldEntries(folder, now, () => true)
    },
  }
}

const PREFIX = 'plumbline-arriving-'

async function removeOldEntries(
  folder: string,
  now: number,
  isOurs: (found: { name: string; uid: number }) => boolean,
): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const place = path.join(folder, name)
    const found = await stat(place).catch(() => null)
    if (found === null || now - found.mtimeMs <= ABANDONED_AFTER_MS || !isOurs({ name, uid: found.uid })) continue
    await rm(place, { recursive: true, force: true })
  }
}
