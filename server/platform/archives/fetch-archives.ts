import { createHash } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { recordOperatorAction } from '../audit/record-audit-entries.ts'
import type { Config } from '../config/config.ts'
import type { Database, Db } from '../database/database.ts'
import { openFiles } from '../files/files.ts'
import { conflict, notFound } from '../problems/problem.ts'
import type { Clock } from '../runtime/clock.ts'
import { type Archive, listArchivesAfter, toFileName, toStorageKey } from './queries.ts'

/** The number of archives that are looked up at a time. The archives are then copied one by one. */
const PAGE_SIZE = 200

/**
 * Yields the archives of a builder in the order of their creation. Throws `not_found` if the builder does not exist.
 */
export async function* listAllArchives(db: Db, organizationId: string): AsyncGenerator<Archive> {
  const builder = await db.selectFrom('organizations').select('id').where('id', '=', organizationId).executeTakeFirst()
  if (builder === undefined) throw notFound()
  for (let last = ''; ; ) {
    const page = await listArchivesAfter(db, organizationId, last, PAGE_SIZE)
    yield* page
    const next = page.at(-1)
    if (next === undefined) return
    last = next.id
  }
}

export interface ArchiveFilter {
  kind?: string
  /** The month, such as 2026-11. */
  month?: string
}

/**
 * Copies the archives of a builder to a new folder. If there is a filter, copies only the archives that match it.
 * Compares each copy with its stored hash. Returns the number of copied archives.
 */
export async function fetchArchives(
  { database, clock, config }: { database: Database; clock: Clock; config: Pick<Config, 'dataDir' | 'filesBucket'> },
  organizationId: string,
  folder: string,
  { kind, month }: ArchiveFilter = {},
  progress: (copied: number) => void = () => {},
): Promise<number> {
  const { store } = openFiles(config)
  // The folder must not exist, so that files of two builders are never mixed.
  if (existsSync(folder)) throw conflict('value_taken', `${folder} already exists. Choose another folder.`)
  await mkdir(folder, { mode: 0o700 })
  let copied = 0
  for await (const archive of listAllArchives(database.statements, organizationId)) {
    if (kind !== undefined && archive.kind !== kind) continue
    if (month !== undefined && !archive.month.startsWith(month)) continue
    const place = path.join(folder, toFileName(archive))
    const hash = createHash('sha256')
    const hashed = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        yield chunk
      }
    }
    await pipeline(await store.open(toStorageKey(archive), null), hashed, createWriteStream(place, { mode: 0o600 }))
    if (hash.digest('hex') !== archive.sha256)
      throw new Error(`${place} differs from the archive that was written. Restore the file store from a backup.`)
    progress(++copied)
  }
  // Record this action in the audit trail, because the archives contain data of the builder.
  await recordOperatorAction(database.statements, {
    ...{ organizationId, at: clock.now(), action: 'organization.archives_fetched', resourceId: organizationId },
  })
  return copied
}
