import type { Database } from '../database/database.ts'
import type { Files } from '../files/files.ts'
import type { Clock } from '../runtime/clock.ts'
import { compressLines, readLines } from './archive-files.ts'
import * as archives from './queries.ts'

export interface RewriteOptions {
  database: Database
  clock: Clock
  files: Files
  organizationId: string
  /** Returns the new texts of lines by line index. Can omit lines that do not change. */
  change(lines: readonly string[]): Promise<ReadonlyMap<number, string>>
}

/** The number of archives that are looked up at a time. The archives are then rewritten one by one. */
const PAGE_SIZE = 100

/**
 * Rewrites lines in the archives of a builder, and returns the number of changed archives. A file is never changed in
 * place. Another file replaces it, together with its row, in one transaction, and the old file is deleted afterward.
 * Call this function after changing the tables. It ends the claims of processes that are writing archives, because they
 * may have read the old rows.
 */
export async function rewriteArchives(rewriting: RewriteOptions): Promise<number> {
  const { database, clock, organizationId } = rewriting
  await archives.revokeWriterClaims(database.statements, clock.now(), organizationId)
  let changed = 0
  // This loop also reaches the replacement files, because they are newer, but it finds nothing to change in them.
  for (let last = ''; ; ) {
    const page = await archives.listArchivesAfter(database.statements, organizationId, last, PAGE_SIZE)
    for (const archive of page) if (await rewriteArchive(rewriting, archive)) changed++
    const next = page.at(-1)
    if (next === undefined) return changed
    last = next.id
  }
}

async function rewriteArchive(
  { database, clock, files, change }: RewriteOptions,
  archive: archives.Archive,
): Promise<boolean> {
  const db = database.statements
  let count = 0
  async function* changedLines(): AsyncGenerator<Buffer> {
    for await (const lines of readLines(files.store, archive)) {
      const changed = await change(lines)
      count += changed.size
      yield compressLines(lines.map((line, place) => `${changed.get(place) ?? line}\n`).join(''))
    }
  }
  const { path, size, sha256, discard } = await files.receive(changedLines())
  try {
    // Most archives do not contain the erased person, and stay unchanged.
    if (count === 0) return false
    const other = await archives.addReplacementFile(db, clock.now(), archive)
    await files.store.put(archives.toStorageKey(other), path)
    await database.transaction(async (trx) => {
      const isOurs = await archives.markArchiveRemovable(trx, clock.now(), archive, 'kept')
      const { records } = archive
      if (!isOurs || !(await archives.markArchiveKept(trx, other, 'rewriting', { records, size, sha256 })))
        throw new Error(`Another process rewrote the archive ${archive.id} at the same time. Run the command again.`)
    })
  } finally {
    await discard()
  }
  await files.store.remove(archives.toStorageKey(archive))
  await archives.deleteAbandonedFile(db, archive)
  return true
}
