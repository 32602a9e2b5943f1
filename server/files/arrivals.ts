import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { invalid } from '../http/problem.ts'
import type { Arrived } from '../http/upload.ts'

/** Receives files into a folder, from where they are taken away or removed. */
export interface Arrivals {
  receive(chunks: AsyncIterable<Buffer> | Buffer): Promise<Arrived>
  /** Removes what a process that ended abruptly has left behind. */
  tidy(now: number): Promise<void>
}

/** No upload takes as long: a request has to arrive within an hour at most. */
const LEFT_BEHIND_MS = 2 * 60 * 60 * 1000

export function arrivals(folder: string): Arrivals {
  return {
    async receive(chunks) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const place = path.join(folder, randomUUID())
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
        if (size === 0) throw invalid([{ pointer: '', code: 'required', message: 'the file is empty' }])
      } catch (error) {
        await discard()
        throw error
      }
      return { path: place, size, sha256: hash.digest('hex'), discard }
    },

    async tidy(now) {
      const names = await readdir(folder).catch(() => [])
      for (const name of names) {
        const place = path.join(folder, name)
        const found = await stat(place).catch(() => null)
        if (found !== null && now - found.mtimeMs > LEFT_BEHIND_MS) await rm(place, { force: true })
      }
    },
  }
}
