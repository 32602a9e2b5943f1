import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReceivedFile } from '../calls/upload.ts'
import { validationFailed } from '../problems/problem.ts'

/** Receives files into a folder. From there, each file is moved or deleted. */
export interface IncomingFiles {
  receive(chunks: AsyncIterable<Buffer> | Buffer): Promise<ReceivedFile>
  /** Deletes the files that abruptly ended processes left behind. */
  tidy(now: number): Promise<void>
}

/** No upload takes that long, because a request must arrive within an hour. */
const ABANDONED_AFTER_MS = 2 * 60 * 60 * 1000

/** @param folder the folder, or a function that creates a folder for only this process and user */
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
  /** Creates the folder if it is missing. */
  open(): Promise<string>
  /** Deletes the files that ended processes left behind. */
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
 * Returns a new folder of this process below a folder that other users can write to. Other users cannot create the
 * folder beforehand, because its name is random.
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
      // Updates the time of a folder in use, so that the operating system's cleanup keeps it. The folder may already
      // have been deleted.
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
