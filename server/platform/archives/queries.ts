import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Db } from '../database/database.ts'

/** A file with deleted records, which are lines of JSON as in the export of a builder, compressed with gzip. */
export interface Archive extends ArchiveName {
  /** The number of records. */
  records: number
  /** The size of the compressed file in bytes, and below it its SHA-256 in hexadecimal. */
  size: number
  sha256: string
  createdAt: string
}

export interface ArchiveName {
  organizationId: string
  id: string
  /** The kind of record, as in the export, such as `event`. */
  kind: string
  /** The first day of the month of the records, in UTC. */
  month: string
}

/** Returns the name of the file, which users also see, such as event-2026-11-arc_….ndjson.gz. */
export function toFileName({ kind, month, id }: ArchiveName): string {
  return `${kind}-${month.slice(0, 7)}-${id}.ndjson.gz`
}

/**
 * Returns the key of the file in the store. The file is in the folder of the builder, which is deleted with the
 * builder.
 */
export function toStorageKey(archive: ArchiveName): string {
  return `${archive.organizationId}/${toFileName(archive)}`
}

/**
 * The duration of a claim in milliseconds. Writing an archive takes less time: reading the rows, and an upload of at
 * most two minutes. A slower process loses its claim and then stops.
 */
const CLAIM_MS = 10 * 60_000

const claimExpiry = (now: Date) => new Date(now.getTime() + CLAIM_MS).toISOString()

/** Claims the builder's rows of one kind, to archive some of them; returns null if another process has a claim. */
export async function claimArchiveKind(
  db: Db,
  now: Date,
  { organizationId, kind, month }: Omit<ArchiveName, 'id'>,
): Promise<ArchiveName | null> {
  const archive = { organizationId, id: typeid('arc').toString(), kind, month }
  const { rows } = await sql`
    insert into "archives" ("organizationId", "id", "kind", "month", "status", "claimedUntil", "createdAt")
    values (${organizationId}, ${archive.id}, ${kind}, ${month}, 'writing', ${claimExpiry(now)}, ${now.toISOString()})
    on conflict ("organizationId", "kind") where "status" = 'writing' do nothing returning "id"`.execute(db)
  return rows.length > 0 ? archive : null
}

/**
 * Registers a file before it is written, as the replacement of another file. If it does not become an archive before
 * the claim expires, the file is deleted.
 */
export async function addReplacementFile(db: Db, now: Date, other: ArchiveName): Promise<ArchiveName> {
  const archive = { ...other, id: typeid('arc').toString() }
  const { organizationId, id, kind, month } = archive
  await db
    .insertInto('archives')
    .values({ organizationId, id, kind, month, status: 'rewriting', claimedUntil: claimExpiry(now), createdAt: now })
    .execute()
  return archive
}

/**
 * Makes the file an archive when the transaction commits. Returns false if this process has lost its claim, so that the
 * file must not become an archive.
 */
export async function markArchiveKept(
  trx: Db,
  { organizationId, id }: ArchiveName,
  from: 'writing' | 'rewriting',
  file: Pick<Archive, 'records' | 'size' | 'sha256'>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('archives')
    .set({ status: 'kept', claimedUntil: null, ...file })
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', from)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Marks the file for deletion. Returns false if the file is in another state, which means that another process is
 * responsible for it.
 */
export async function markArchiveRemovable(
  db: Db,
  now: Date,
  { organizationId, id }: ArchiveName,
  from: 'writing' | 'kept',
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('archives')
    .set({ status: 'loose', claimedUntil: now })
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', from)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Ends the claims of all processes that are writing archives of a builder, so that they delete no rows. */
export async function revokeWriterClaims(db: Db, now: Date, organizationId: string): Promise<void> {
  await db
    .updateTable('archives')
    .set({ status: 'loose', claimedUntil: now })
    .where('organizationId', '=', organizationId)
    .where('status', '=', 'writing')
    .execute()
}

/**
 * Returns the files of all builders that are not archives and whose claim has expired: the process that wrote them has
 * ended, or they were replaced.
 */
export async function listAbandonedFiles(db: Db, now: Date, max: number): Promise<ArchiveName[]> {
  return db
    .selectFrom('archives')
    .select(['organizationId', 'id', 'kind', 'month'])
    .where('status', '<>', 'kept')
    .where('claimedUntil', '<=', now.toISOString())
    .orderBy('claimedUntil')
    .limit(max)
    .execute()
}

/** Claims an abandoned file in order to delete it. */
export async function claimAbandonedFile(db: Db, now: Date, { organizationId, id }: ArchiveName): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('archives')
    .set({ status: 'loose', claimedUntil: claimExpiry(now) })
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .where('status', '<>', 'kept')
    .where('claimedUntil', '<=', now.toISOString())
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteAbandonedFile(db: Db, { organizationId, id }: ArchiveName): Promise<void> {
  await db
    .deleteFrom('archives')
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', 'loose')
    .execute()
}

/** Returns the archives of a builder in the order of their creation, starting after the given archive. */
export async function listArchivesAfter(
  db: Db,
  organizationId: string,
  after: string,
  max: number,
): Promise<Archive[]> {
  const { rows } = await sql<Archive>`
    select "organizationId", "id", "kind", "month", "records", "size", "sha256", "createdAt" from "archives"
    where "organizationId" = ${organizationId} and "id" > ${after} and "status" = 'kept' order by "id" limit ${max}`.execute(
    db,
  )
  return rows
}
