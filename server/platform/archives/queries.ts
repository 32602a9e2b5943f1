import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Db } from '../database/database.ts'

/** A file of records that were deleted: lines of JSON as in the export of a builder, compressed by gzip. */
export interface Archive extends ArchiveName {
  /** How many records it has. */
  records: number
  /** Bytes of the compressed file, and their SHA-256 in hexadecimal. */
  size: number
  sha256: string
  createdAt: string
}

export interface ArchiveName {
  organizationId: string
  id: string
  /** The kind of its records, as in the export: `event`. */
  kind: string
  /** The first day of the month, by UTC, that its records are from. */
  month: string
}

/** What a file is called, where people see it too: event-2026-11-arc_….ndjson.gz */
export function fileNameOf({ kind, month, id }: ArchiveName): string {
  return `${kind}-${month.slice(0, 7)}-${id}.ndjson.gz`
}

/** Where the store keeps the file: in the builder's own folder, which goes with the builder. */
export function keyOf(archive: ArchiveName): string {
  return `${archive.organizationId}/${fileNameOf(archive)}`
}

/**
 * Longer than writing an archive takes: reading its rows, and one upload, which is given up after two minutes. A process
 * that is slower has lost it, and notices.
 */
const CLAIM_MS = 10 * 60_000

const until = (now: Date) => new Date(now.getTime() + CLAIM_MS).toISOString()

/** Claims a kind of a builder's rows to archive some of them; null while another process does so. */
export async function claimKind(
  db: Db,
  now: Date,
  { organizationId, kind, month }: Omit<ArchiveName, 'id'>,
): Promise<ArchiveName | null> {
  const archive = { organizationId, id: typeid('arc').toString(), kind, month }
  const { rows } = await sql`
    insert into "archives" ("organizationId", "id", "kind", "month", "status", "claimedUntil", "createdAt")
    values (${organizationId}, ${archive.id}, ${kind}, ${month}, 'writing', ${until(now)}, ${now.toISOString()})
    on conflict ("organizationId", "kind") where "status" = 'writing' do nothing returning "id"`.execute(db)
  return rows.length > 0 ? archive : null
}

/** Names a file that will take the place of another, before it is there; it is removed unless it is kept in time. */
export async function addRewriting(db: Db, now: Date, other: ArchiveName): Promise<ArchiveName> {
  const archive = { ...other, id: typeid('arc').toString() }
  const { organizationId, id, kind, month } = archive
  await db
    .insertInto('archives')
    .values({ organizationId, id, kind, month, status: 'rewriting', claimedUntil: until(now), createdAt: now })
    .execute()
  return archive
}

/** From the commit on the file is an archive. False if it is not ours any more, and must not become one. */
export async function keep(
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

/** From then on the file may be removed. False if it was in another state, so that it is somebody else's to decide. */
export async function loosen(
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

/** Takes all archives of a builder that are being written from their writers, who then delete nothing. */
export async function takeFromWriters(db: Db, now: Date, organizationId: string): Promise<void> {
  await db
    .updateTable('archives')
    .set({ status: 'loose', claimedUntil: now })
    .where('organizationId', '=', organizationId)
    .where('status', '=', 'writing')
    .execute()
}

/** Those of all builders that are no archives and whose time is over: a writer has died, or another took their place. */
export async function leftBehind(db: Db, now: Date, most: number): Promise<ArchiveName[]> {
  return db
    .selectFrom('archives')
    .select(['organizationId', 'id', 'kind', 'month'])
    .where('status', '<>', 'kept')
    .where('claimedUntil', '<=', now.toISOString())
    .orderBy('claimedUntil')
    .limit(most)
    .execute()
}

/** Claims one that was left behind, to remove it. */
export async function claimLoose(db: Db, now: Date, { organizationId, id }: ArchiveName): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('archives')
    .set({ status: 'loose', claimedUntil: until(now) })
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .where('status', '<>', 'kept')
    .where('claimedUntil', '<=', now.toISOString())
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function removeLoose(db: Db, { organizationId, id }: ArchiveName): Promise<void> {
  await db
    .deleteFrom('archives')
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', 'loose')
    .execute()
}

/** A builder's archives in the order in which they were made, after the given one. */
export async function keptAfter(db: Db, organizationId: string, after: string, most: number): Promise<Archive[]> {
  const { rows } = await sql<Archive>`
    select "organizationId", "id", "kind", "month", "records", "size", "sha256", "createdAt" from "archives"
    where "organizationId" = ${organizationId} and "id" > ${after} and "status" = 'kept' order by "id" limit ${most}`.execute(
    db,
  )
  return rows
}
