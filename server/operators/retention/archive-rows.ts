import { compressLines } from '../../platform/archives/archive-files.ts'
import {
  type ArchiveName,
  claimArchiveKind,
  deleteAbandonedFile,
  markArchiveKept,
  markArchiveRemovable,
  toStorageKey,
} from '../../platform/archives/queries.ts'
import type { Services } from '../../platform/calls/call.ts'
import { BATCH_ROWS } from '../../platform/database/batches.ts'
import { createSystemCallInTransaction } from '../../platform/keys/principals.ts'
import type { StoredRow } from '../builder-data/export-kinds.ts'
import { toExportLine } from '../builder-data/export-line.ts'
import { type AgedRows, deleteRows, readOldestRows } from './aged-rows.ts'

/** The maximum number of rows in memory. The largest events are about 400 kB in size. */
const PAGE_ROWS = 200

/** The size in bytes, before compression, after which no further page of rows is added to an archive. */
const MAX_BYTES = 32 * 1024 * 1024

/**
 * Writes a builder's oldest rows of a kind to a file and then deletes the rows. The rows are from at most one month.
 * The transaction that deletes the rows also records the file as an archive. After a crash, therefore, either the rows
 * or the archive exists, and a file that is not recorded is deleted.
 *
 * @returns whether there may be more rows; false if there were no rows, or another process is archiving them
 */
export async function archiveOldestRows(services: Services, aged: AgedRows): Promise<boolean> {
  const { database, clock, files } = services
  const { kind, organizationId } = aged
  const [first] = await readRows(services, aged, undefined, 1)
  if (first === undefined) return false
  const [month, end] = toMonth(first.madeAt)
  const archive = await claimArchiveKind(database.statements, clock.now(), { organizationId, kind: kind.kind, month })
  if (archive === null) return false
  try {
    const ofMonth = { ...aged, before: Math.min(aged.before, end) }
    // Another process may have archived these rows before this process claimed them.
    if ((await readRows(services, ofMonth, undefined, 1)).length === 0) {
      await abandonArchive(services, archive)
      return true
    }
    const ids: string[] = []
    const file = await files.receive(streamLines(services, ofMonth, ids))
    try {
      await files.store.put(toStorageKey(archive), file.path)
    } finally {
      await file.discard()
    }
    await database.transaction(async (trx) => {
      const isOurs = await markArchiveKept(trx, archive, 'writing', {
        records: ids.length,
        size: file.size,
        sha256: file.sha256,
      })
      // Another process has deleted some of the rows or erased a person from them. The next run reads the rows again.
      if (!isOurs || (await deleteRows(trx, aged, ids)) < ids.length)
        throw new Error(`Old rows of ${organizationId} in ${kind.table} were changed while they were archived.`)
    })
    return true
  } catch (error) {
    // If this also fails, the effect is the same as a crash of this process: the claim expires, and the next run
    // deletes the file.
    await abandonArchive(services, archive).catch(() => {})
    throw error
  }
}

async function* streamLines(services: Services, aged: AgedRows, ids: string[]): AsyncGenerator<Buffer> {
  let bytes = 0
  for (let after: StoredRow | undefined; ids.length < BATCH_ROWS && bytes < MAX_BYTES; ) {
    const rows = await readRows(services, aged, after, PAGE_ROWS)
    if (rows.length === 0) return
    const text = Buffer.from(await toLines(services, aged, rows))
    bytes += text.length
    yield compressLines(text)
    ids.push(...rows.map(({ id }) => String(id)))
    if (rows.length < PAGE_ROWS) return
    after = rows.at(-1)
  }
}

// Reads the rows on a connection from the pool, because the shared connections are for short statements.
function readRows(
  { database }: Services,
  aged: AgedRows,
  after: StoredRow | undefined,
  most: number,
): Promise<StoredRow[]> {
  const columns = aged.kind.columns ?? []
  return database.transaction((trx) => readOldestRows(trx, aged, { after, most, columns }))
}

function toLines(services: Services, { kind, organizationId }: AgedRows, rows: StoredRow[]): Promise<string> {
  return services.database.transaction(async (trx) => {
    const call = await createSystemCallInTransaction(services, trx, organizationId)
    const own = rows.map(({ madeAt, ...row }) => row)
    return (await kind.records(call, own)).map((record) => toExportLine(services.contract, kind.kind, record)).join('')
  })
}

// Deletes the file unless it has been recorded as an archive. It has been if the commit succeeded and only the response
// was lost.
async function abandonArchive({ database, clock, files }: Services, archive: ArchiveName): Promise<void> {
  const db = database.statements
  if (!(await markArchiveRemovable(db, clock.now(), archive, 'writing'))) return
  await files.store.remove(toStorageKey(archive))
  await deleteAbandonedFile(db, archive)
}

/** Returns the first day and the end of a timestamp's month, in UTC. */
function toMonth(timestamp: unknown): [string, number] {
  const date = new Date(String(timestamp))
  const begin = getStartOfMonth(date.getTime())
  const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
  return [new Date(begin).toISOString().slice(0, 10), end]
}

/** Returns the start of a timestamp's month, in UTC. */
export function getStartOfMonth(ms: number): number {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}
