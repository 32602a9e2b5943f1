import { pipeline } from 'node:stream'
import { promisify } from 'node:util'
import { createGunzip, gzip } from 'node:zlib'
import type { Database } from '../database/database.ts'
import type { FileStore } from '../files/file-store.ts'
import type { Files } from '../files/files.ts'
import type { Clock } from '../runtime/clock.ts'
import * as archives from './queries.ts'

const gzipAsync = promisify(gzip)

/** Compresses lines as a part of a file. Consecutive parts are one file to every program that reads gzip. */
export function compressLines(lines: string | Buffer): Promise<Buffer> {
  return gzipAsync(lines)
}

/** Maximum characters in memory at a time. */
const PIECE_CHARACTERS = 1024 * 1024

/** Yields the lines of an archive without line ends, in pieces that take little memory. */
export async function* readLines(store: FileStore, archive: archives.ArchiveName): AsyncGenerator<string[]> {
  const source = await store.open(archives.toStorageKey(archive), null)
  // An error of the source is thrown by the loop below.
  const text = pipeline(source, createGunzip(), () => {}).setEncoding('utf8')
  let rest = ''
  for await (const chunk of text) {
    rest += chunk
    if (rest.length < PIECE_CHARACTERS) continue
    const end = rest.lastIndexOf('\n')
    if (end < 0) continue
    yield rest.slice(0, end).split('\n')
    rest = rest.slice(end + 1)
  }
  if (rest !== '') yield rest.replace(/\n$/, '').split('\n')
}

/** Files per run. The next run follows within an hour, and there are hardly ever any. */
const MAX_REMOVED_PER_RUN = 100

/** Deletes files that are not archives: those left by a writer that ended, and those that another file replaced. */
export async function removeAbandonedFiles({
  database,
  clock,
  files,
}: {
  database: Database
  clock: Clock
  files: Pick<Files, 'store'>
}): Promise<void> {
  const db = database.statements
  for (const archive of await archives.listAbandoned(db, clock.now(), MAX_REMOVED_PER_RUN)) {
    if (!(await archives.claimRemovable(db, clock.now(), archive))) continue
    await files.store.remove(archives.toStorageKey(archive))
    await archives.deleteRemovable(db, archive)
  }
}
