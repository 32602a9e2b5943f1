import { pipeline } from 'node:stream'
import { promisify } from 'node:util'
import { createGunzip, gzip } from 'node:zlib'
import type { Database } from '../database/database.ts'
import type { FileStore } from '../files/file-store.ts'
import type { Files } from '../files/files.ts'
import type { Clock } from '../runtime/clock.ts'
import * as archives from './queries.ts'

const gzipAsync = promisify(gzip)

/** Compresses lines into a part of a file. All programs that read gzip treat consecutive parts as one file. */
export function compressLines(lines: string | Buffer): Promise<Buffer> {
  return gzipAsync(lines)
}

/** The maximum number of characters that are in memory at a time. */
const PIECE_CHARACTERS = 1024 * 1024

/** Yields the lines of an archive, without line breaks, in groups that use little memory. */
export async function* readLines(store: FileStore, archive: archives.ArchiveName): AsyncGenerator<string[]> {
  const source = await store.open(archives.toStorageKey(archive), null)
  // The loop below throws errors of the source.
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

/** The maximum number of files that a run deletes. Such files are rare, and the next run starts within an hour. */
const MAX_REMOVED_PER_RUN = 100

/**
 * Deletes files that are not archives, because the process that wrote them has ended, or because another file has
 * replaced them.
 */
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
  for (const archive of await archives.listAbandonedFiles(db, clock.now(), MAX_REMOVED_PER_RUN)) {
    if (!(await archives.claimAbandonedFile(db, clock.now(), archive))) continue
    await files.store.remove(archives.toStorageKey(archive))
    await archives.deleteAbandonedFile(db, archive)
  }
}
