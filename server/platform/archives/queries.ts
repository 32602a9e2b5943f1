import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Db } from '../database/database.ts'

/** A file of deleted records: lines of JSON as in a builder's export, compressed by gzip. */
export interface Archive extends ArchiveName {
  /** Number of records. */
  records: number
  /** Size in bytes of the compressed file, and its SHA-256 in hexadecimal. */
  size: number
  sha256: string
  createdAt: string
}

export interface ArchiveName {
  organizationId: string
  id: string
  /** The kind of record, as in the export: `event`. */
  kind: string
  /** The first day, in UTC, of the month that the records are from. */
  month: string
}

/** Returns the name of the file, which people see too: event-2026-11-arc_….ndjson.gz */
export function toFileName({ kind, month, id }: ArchiveName): string {
  return `${kind}-${month.slice(0, 7)}-${id}.ndjson.gz`
}

/** Returns the file's key in the store: in the builder's folder, which is deleted with the builder. */
export function toStorageKey(archive: ArchiveName): string {
  return `${archive.organizationId}/${toFileName(archive)}`
}

/**
 * Longer than writing an archive takes: reading its rows, and one upload of at most two minutes. A slower process loses
 * its claim, and notices that.
 */
const CLAIM_MS = 10 * 60_000

const claimExpiry = (now: Date) => new Date(now.getTime() + CLAIM_MS).toISOString()

/** Claims a kind of a builder's rows in order to archive some of them; null while another process holds the claim. */
export async function claimKind(
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

/** Registers a file that will replace another one, before it is written. It is deleted unless it is kept in time. */
export async function addReplacement(db: Db, now: Date, other: ArchiveName): Promise<ArchiveName> {
  const archive = { ...other, id: typeid('arc').toString() }
  const { organizationId, id, kind, month } = archive
  await db
    .insertInto('archives')
    .values({ organizationId, id, kind, month, status: 'rewriting', claimedUntil: claimExpiry(now), createdAt: now })
    .execute()
  return archive
}

/**
 * Makes the file an archive from the commit on. Returns false if this process has lost its claim; then it must not
 * become one.
 */
export async function markKept(
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

/** Allows the file to be deleted. Returns false if it is in another state, so that another process decides about it. */
export async function markRemovable(
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

/** Takes all archives that are being written for a builder from their writers, so that those delete no rows. */
export async function revokeWriterClaims(db: Db, now: Date, organizationId: string): Promise<void> {
  await db
    .updateTable('archives')
    .set({ status: 'loose', claimedUntil: now })
    .where('organizationId', '=', organizationId)
    .where('status', '=', 'writing')
    .execute()
}

/**
 * Returns files of any builder that are not archives and whose claim has expired: their writer ended, or they were
 * replaced.
 */
export async function listAbandoned(db: Db, now: Date, max: number): Promise<ArchiveName[]> {
  return db
    .selectFrom('archives')
    .select(['organizationId', 'id', 'kind', 'month'])
    .where('status', '<>', 'kept')
    .where('claimedUntil', '<=', now.toISOString())
    .orderBy('claimedUntil')
    .limit(max)
    .execute()
}

/** Claims such a file in order to delete it. */
export async function claimRemovable(db: Db, now: Date, { organizationId, id }: ArchiveName): Promise<boolean> {
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

export async function deleteRemovable(db: Db, { organizationId, id }: ArchiveName): Promise<void> {
  await db
    .deleteFrom('archives')
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', 'loose')
    .execute()
}

/** Returns a builder's archives in order of creation, after the given one. */
export async function listKeptAfter(db: Db, organizationId: string, after: string, max: number): Promise<Archive[]> {
  const { rows } = await sql<Archive>`
    select "organizationId", "id", "kind", "month", "records", "size", "sha256", "createdAt" from "archives"
    where "organizationId" = ${organizationId} and "id" > ${after} and "status" = 'kept' order by "id" limit ${max}`.execute(
    db,
  )
  return rows
}
