import { sql } from 'kysely'
import type { PortalBidDraft } from '../../../../client/contract.gen.ts'
import type { Call, Tenant, WriteCall } from '../../../platform/calls/call.ts'

/** The entries of a draft bid. The builder's operations never read these tables. */
export type DraftEntries = Omit<PortalBidDraft, 'version' | 'updatedAt'>

/**
 * Returns the table that contains the drafts. The vendor's own link and copied links have separate drafts, because a
 * user who copied a link must not see or submit the vendor's draft.
 */
function draftTable({ principal }: Pick<Call, 'principal'>) {
  return sql.table(principal.copiedBy === undefined ? 'bidDrafts' : 'copiedLinkBidDrafts')
}

type StoredDraft = Omit<DraftEntries, 'alternates'> & Partial<Pick<DraftEntries, 'alternates'>>

/** Returns the draft for the caller's kind of link; null if there is no draft. */
export async function findDraft(call: Call, invitationId: string): Promise<PortalBidDraft | null> {
  const { db, organizationId } = call
  const { rows } = await sql<{ content: StoredDraft | null; version: number; updatedAt: string }>`
    select "content", "version", "updatedAt" from ${draftTable(call)}
    where "organizationId" = ${organizationId} and "invitationId" = ${invitationId}`.execute(db)
  const [row] = rows
  if (row === undefined || row.content === null) return null
  // Drafts from before the introduction of alternates have no `alternates`.
  const { alternates = [], ...content } = row.content
  return { ...content, alternates, version: row.version, updatedAt: row.updatedAt }
}

/** Replaces the draft for the caller's kind of link. Null deletes a draft that was submitted or discarded. */
export async function replaceDraft(call: WriteCall, invitationId: string, entered: DraftEntries | null): Promise<void> {
  const { db, organizationId, now } = call
  await sql`
    insert into ${draftTable(call)} as d ("organizationId", "invitationId", "content", "version", "updatedAt")
    values (${organizationId}, ${invitationId}, ${entered === null ? null : JSON.stringify(entered)}::jsonb, 1, ${now})
    on conflict ("organizationId", "invitationId")
    do update set "content" = excluded."content", "version" = d."version" + 1, "updatedAt" = excluded."updatedAt"`.execute(
    db,
  )
}

/** Returns the ID of the vendor's newest bid on the whole request. The bid can have any status. */
export async function findNewestBidId(
  { db, organizationId }: Tenant,
  bidRequestId: string,
  vendorId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select "id" from "bids"
    where "organizationId" = ${organizationId} and "bidRequestId" = ${bidRequestId} and "vendorId" = ${vendorId}
      and "homeId" is null
    order by "id" desc limit 1`.execute(db)
  return rows[0]?.id
}
