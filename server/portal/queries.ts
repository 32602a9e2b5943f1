import { sql } from 'kysely'
import type { PortalBidInvitationSummary, PortalHome } from '../../client/contract.gen.ts'
import type { Principal, Tenant, WriteCall } from '../http/call.ts'
import { notFound } from '../http/problem.ts'
import { listing } from '../resources/listing.ts'

// Within JSON the database would format instants in its own way.
const REQUEST = `
  select json_build_object('number', r."number", 'title', r."title", 'status', r."status", 'scope', r."scope", 'deadline', r."deadline",
    'deadlineAt', to_char(r."deadlineAt" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  from "bidRequests" as r where r."organizationId" = t."organizationId" and r."id" = t."bidRequestId"`

/** A vendor's invitations, newest first; those that were not sent are left out. */
export const list = listing<PortalBidInvitationSummary>({
  table: 'invitations',
  columns: { id: 'id', status: 'enum', request: { sql: REQUEST } },
  where: `t."status" <> 'pending'`,
})

/** The condition for what a vendor's token covers: all of its invitations, or only the one it was made for. */
export function visibleTo({ id, subjectId }: Principal): Record<string, string> {
  const vendorId = String(id)
  return subjectId === null || subjectId === id ? { vendorId } : { vendorId, id: subjectId }
}

export interface InvitationAddress {
  bidRequestId: string
  vendorId: string
}

export async function addressOf(
  { db, organizationId }: Tenant,
  id: string,
  within: Record<string, string>,
): Promise<InvitationAddress | undefined> {
  let query = db
    .selectFrom('invitations')
    .select(['bidRequestId', 'vendorId'])
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .where('status', '<>', 'pending')
  for (const [column, value] of Object.entries(within)) query = query.where(sql.ref<string>(column), '=', value)
  return query.executeTakeFirst()
}

export interface Answers {
  /** The start of the hour in which answers are counted; null before the first. */
  since: string | null
  count: number
}

/** How often the answer to an invitation was changed recently. */
export async function answersOf({ db, organizationId }: Tenant, id: string): Promise<Answers> {
  return db
    .selectFrom('invitations')
    .select(['answersSince as since', 'answerCount as count'])
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

export async function noteAnswers({ db, organizationId }: WriteCall, id: string, answers: Answers): Promise<void> {
  await db
    .updateTable('invitations')
    .set({ answersSince: answers.since, answerCount: answers.count })
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .execute()
}

export interface Site {
  name: string
  city: string | null
  state: string | null
  timeZone: string
}

export async function siteOf({ db, organizationId }: Tenant, communityId: string): Promise<Site> {
  const { rows } = await sql<Site>`
    select "name", "city", "state", "timeZone" from "communities"
    where "organizationId" = ${organizationId} and "id" = ${communityId}`.execute(db)
  if (rows[0] === undefined) throw notFound()
  return rows[0]
}

export async function homesOf({ db, organizationId }: Tenant, ids: readonly string[]): Promise<PortalHome[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<PortalHome>`
    select "name", "address" from "homes"
    where "organizationId" = ${organizationId} and "id" = any(${[...ids]}) order by "name", "id"`.execute(db)
  return rows
}
