import { sql } from 'kysely'
import type { PortalBidDraft } from '../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../http/call.ts'

/** What a vendor has entered for its bid. No operation of the builder reads this table. */
export type Entered = Omit<PortalBidDraft, 'version' | 'updatedAt'>

export async function draftOf({ db, organizationId }: Tenant, invitationId: string): Promise<PortalBidDraft | null> {
  const { rows } = await sql<{ content: Entered | null; version: number; updatedAt: string }>`
    select "content", "version", "updatedAt" from "bidDrafts"
    where "organizationId" = ${organizationId} and "invitationId" = ${invitationId}`.execute(db)
  const [row] = rows
  if (row === undefined || row.content === null) return null
  return { ...row.content, version: row.version, updatedAt: row.updatedAt }
}

/** Keeps what was entered, in place of what was there before; null where it was submitted or thrown away. */
export async function keepDraft(
  { db, organizationId, now }: WriteCall,
  invitationId: string,
  entered: Entered | null,
): Promise<void> {
  await sql`
    insert into "bidDrafts" as d ("organizationId", "invitationId", "content", "version", "updatedAt")
    values (${organizationId}, ${invitationId}, ${entered === null ? null : JSON.stringify(entered)}::jsonb, 1, ${now})
    on conflict ("organizationId", "invitationId")
    do update set "content" = excluded."content", "version" = d."version" + 1, "updatedAt" = excluded."updatedAt"`.execute(
    db,
  )
}

/** The vendor's newest bid on the whole request, in whichever status. */
export async function newestBid(
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
