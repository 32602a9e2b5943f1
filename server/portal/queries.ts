import { sql } from 'kysely'
import type { Address, BidRequestStatus, InvitationStatus } from '../../client/contract.gen.ts'
import type { Db } from '../database/database.ts'

/** What a portal address leads to. The token is the proof of who may read it, so these are the only queries without a tenant. */
export interface Subject {
  organizationId: string
  vendorId: string
}

// The primary keys begin with the organization; going through the few organizations uses them.
export async function vendorBehind(db: Db, vendorId: string): Promise<Subject | undefined> {
  const { rows } = await sql<Subject>`
    select v."organizationId", v."id" as "vendorId"
    from "organizations" as o join "vendors" as v on v."organizationId" = o."id" and v."id" = ${vendorId}`.execute(db)
  return rows[0]
}

export async function invitationBehind(
  db: Db,
  invitationId: string,
): Promise<(Subject & { bidRequestId: string }) | undefined> {
  const { rows } = await sql<Subject & { bidRequestId: string }>`
    select i."organizationId", i."vendorId", i."bidRequestId"
    from "organizations" as o join "invitations" as i on i."organizationId" = o."id" and i."id" = ${invitationId}
    where i."status" <> 'pending'`.execute(db)
  return rows[0]
}

export interface Site {
  name: string
  city: string | null
  state: string | null
  timeZone: string
}

export async function siteOf(db: Db, organizationId: string, communityId: string): Promise<Site | undefined> {
  const { rows } = await sql<Site>`
    select "name", "city", "state", "timeZone" from "communities"
    where "organizationId" = ${organizationId} and "id" = ${communityId}`.execute(db)
  return rows[0]
}

export async function housesOf(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<{ name: string; address: Address | null }[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ name: string; address: Address | null }>`
    select "name", "address" from "homes" where "organizationId" = ${organizationId} and "id" = any(${[...ids]}) order by "name", "id"`.execute(
    db,
  )
  return rows
}

export interface ListedInvitation {
  id: string
  status: InvitationStatus
  number: string
  title: string | null
  scope: string
  deadline: string
  requestStatus: BidRequestStatus
}

/** The vendor's invitations that were sent, the newest first. */
export async function invitationsOfVendor(
  db: Db,
  { organizationId, vendorId }: Subject,
  most: number,
): Promise<ListedInvitation[]> {
  const { rows } = await sql<ListedInvitation>`
    select i."id", i."status", r."number", r."title", r."scope", r."deadline", r."status" as "requestStatus"
    from "invitations" as i
    join "bidRequests" as r on r."organizationId" = i."organizationId" and r."id" = i."bidRequestId"
    where i."organizationId" = ${organizationId} and i."vendorId" = ${vendorId} and i."status" <> 'pending'
    order by i."id" desc limit ${most}`.execute(db)
  return rows
}
