import { sql } from 'kysely'
import type {
  PortalBidInvitationSummary,
  PortalHome,
  PortalLienWaiverSummary,
  PortalMessage,
  PortalTaskSummary,
} from '../../../client/contract.gen.ts'
import { toSpanishScopeSql } from '../../domain/vendors/scopes/queries.ts'
import type { Call, Principal, Tenant, WriteCall } from '../../platform/calls/call.ts'
import type { Json } from '../../platform/calls/json.ts'
import { notFound } from '../../platform/problems/problem.ts'
import { createListing, type ListQuery, type Page } from '../../platform/resources/listing.ts'

// Formats timestamps explicitly, because the database formats them differently inside JSON.
const REQUEST_SQL = `
  select json_build_object('number', r."number", 'title', r."title", 'status', r."status", 'scope', r."scope",
    'spanishScope', ${toSpanishScopeSql('r."scope"')}, 'deadline', r."deadline",
    'acceptLate', r."acceptLate",
    'deadlineAt', to_char(r."deadlineAt" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  from "bidRequests" as r where r."organizationId" = t."organizationId" and r."id" = t."bidRequestId"`

/**
 * The SQL condition that the invitation `t` belongs to a blind request that is still open. `hasSealedAmounts`
 * implements the same rule for a bid request.
 */
const IS_SEALED_SQL = `exists (
  select from "bidRequests" as r where r."organizationId" = t."organizationId" and r."id" = t."bidRequestId"
    and r."blind" and r."status" = 'sent')`

const BID_STATUS = `
  select b."status" from "bids" as b
  where b."organizationId" = t."organizationId" and b."bidRequestId" = t."bidRequestId" and b."vendorId" = t."vendorId"
    and b."homeId" is null
  order by b."id" desc limit 1`

/** Lists a vendor's invitations, newest first. Leaves out unsent invitations. */
const listInvitations = createListing<PortalBidInvitationSummary>({
  table: 'invitations',
  columns: { id: 'id', status: 'enum', bidStatus: { sql: BID_STATUS }, request: { sql: REQUEST_SQL } },
  where: `t."status" <> 'pending'`,
  filters: { isSealed: (requested) => `${IS_SEALED_SQL} = ${requested}` },
})

/**
 * Lists the invitations that the caller's link covers. A copied link does not cover a blind request that is still open.
 */
export function listVisibleInvitations(call: Call, query: ListQuery): Promise<Json<Page<PortalBidInvitationSummary>>> {
  const { principal } = call
  const requested = principal.copiedBy === undefined ? query : { ...query, isSealed: false }
  return listInvitations(call, requested, getInvitationFilter(principal))
}

const TASK_HOME_SQL = `
  select json_build_object('name', h."name", 'community', c."name")
  from "homes" as h join "communities" as c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
  where h."organizationId" = t."organizationId" and h."id" = t."homeId"`

/** Lists the vendor's upcoming tasks about which it was notified. */
export const listTasks = createListing<PortalTaskSummary>({
  table: 'tasks',
  columns: {
    ...{ id: 'id', name: 'text', spanishName: 'text?', plannedStart: 'date', plannedEnd: 'date', confirmation: 'json' },
    home: { sql: TASK_HOME_SQL },
  },
  where: `t."notifiedStart" is not null and t."archivedAt" is null and t."actualStart" is null
    and t."status" in ('not_started', 'on_hold')`,
  filters: { confirmationStatus: (status) => `t."confirmationStatus" = ${status}` },
})

const PAYMENT_NUMBER_SQL = `
  select p."number" from "payments" as p where p."organizationId" = t."organizationId" and p."id" = t."paymentId"`

/** Lists the lien waivers that the builder has requested from the vendor, newest first. */
export const listWaivers = createListing<PortalLienWaiverSummary>({
  table: 'lienWaivers',
  columns: {
    ...{ id: 'id', waiverType: 'enum', status: 'enum', throughDate: 'date', amount: 'decimal', currency: 'enum' },
    paymentNumber: { sql: PAYMENT_NUMBER_SQL },
  },
})

const CONTENT_SQL = `
  select json_build_object('threadId', m."threadId", 'subject', m."subject", 'body', m."body",
    'sentAt', to_char(m."sentAt" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  from "messages" as m where m."organizationId" = t."organizationId" and m."id" = t."messageId"`

/** Lists the messages between the builder and a vendor. */
export const listMessages = createListing<PortalMessage>({
  table: 'messageRecipients',
  columns: { id: 'id', isOwn: 'boolean', readAt: 'instant?', content: { sql: CONTENT_SQL } },
})

/** Returns a filter for the messages that a token covers. A token for one invitation covers no messages. */
export function getMessageFilter({ id, subjectId }: Principal): Record<string, string> {
  return { recipientId: subjectId === id ? String(id) : '' }
}

export interface MailboxEntry {
  isOwn: boolean
  readAt: string | null
}

/** Returns the entry of a message in the vendor's mailbox; undefined if the message is not in the mailbox. */
export async function findMailboxEntry(
  { db, organizationId }: Tenant,
  messageId: string,
  { recipientId = '' }: Record<string, string>,
): Promise<MailboxEntry | undefined> {
  const { rows } = await sql<MailboxEntry>`
    select "isOwn", "readAt" from "messageRecipients"
    where "organizationId" = ${organizationId} and "recipientId" = ${recipientId} and "messageId" = ${messageId}`.execute(
    db,
  )
  return rows[0]
}

/** Returns the times of the messages that the vendor has sent since `since`, earliest first. */
export async function listMessageTimesSince(
  { db, organizationId }: Tenant,
  vendorId: string,
  since: Date,
  max: number,
) {
  const { rows } = await sql<{ sentAt: string }>`
    select m."sentAt" from "messageRecipients" as r
    join "messages" as m on m."organizationId" = r."organizationId" and m."id" = r."messageId"
    where r."organizationId" = ${organizationId} and r."recipientId" = ${vendorId} and r."isOwn" and m."sentAt" > ${since.toISOString()}
    order by r."messageId" desc limit ${max}`.execute(db)
  return rows.map(({ sentAt }) => sentAt).reverse()
}

/**
 * Returns a filter for the records that a vendor's token covers: all records of the vendor, or only those of one
 * invitation.
 */
export function getInvitationFilter({ id, subjectId }: Principal): Record<string, string> {
  const vendorId = String(id)
  return subjectId === null || subjectId === id ? { vendorId } : { vendorId, id: subjectId }
}

/** Returns a filter for all records of a vendor. A token for one invitation covers none of them. */
export function getVendorFilter({ id, subjectId }: Principal): Record<string, string> {
  return { vendorId: subjectId === id ? String(id) : '' }
}

export interface InvitationReference {
  bidRequestId: string
  vendorId: string
}

/**
 * Returns the invitation if the caller's link covers it. A copied link does not cover a blind request that is still
 * open.
 */
export async function findVisibleInvitation(
  { db, organizationId, principal }: Call,
  id: string,
): Promise<InvitationReference | undefined> {
  let query = db
    .selectFrom('invitations as t')
    .select(['bidRequestId', 'vendorId'])
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .where('status', '<>', 'pending')
  for (const [column, value] of Object.entries(getInvitationFilter(principal)))
    query = query.where(sql.ref<string>(column), '=', value)
  if (principal.copiedBy !== undefined) query = query.where(sql<boolean>`not ${sql.raw(IS_SEALED_SQL)}`)
  return query.executeTakeFirst()
}

export interface ResponseCount {
  /** The start of the hour in which responses are counted; null if there are no responses yet. */
  since: string | null
  count: number
}

/** Returns how often the vendor has recently changed its response to an invitation. */
export async function findResponseCount({ db, organizationId }: Tenant, id: string): Promise<ResponseCount> {
  return db
    .selectFrom('invitations')
    .select(['answersSince as since', 'answerCount as count'])
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

export async function storeResponseCount(
  { db, organizationId }: WriteCall,
  id: string,
  answers: ResponseCount,
): Promise<void> {
  await db
    .updateTable('invitations')
    .set({ answersSince: answers.since, answerCount: answers.count })
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .execute()
}

/** Returns how often the vendor has recently changed its response to a task. */
export async function findTaskResponseCount({ db, organizationId }: Tenant, id: string): Promise<ResponseCount> {
  return db
    .selectFrom('tasks')
    .select(['answersSince as since', 'answerCount as count'])
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

export async function storeTaskResponseCount(
  { db, organizationId }: WriteCall,
  id: string,
  answers: ResponseCount,
): Promise<void> {
  await db
    .updateTable('tasks')
    .set({ answersSince: answers.since, answerCount: answers.count })
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .execute()
}

/** Returns the phone number of the builder's office; null if the builder has not entered one. */
export async function findBuilderPhone({ db, organizationId }: Tenant): Promise<string | null> {
  const { phone } = await db
    .selectFrom('organizations')
    .select('phone')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return phone
}

export interface BuildingSite {
  name: string
  city: string | null
  state: string | null
  timeZone: string
}

export async function findBuildingSite({ db, organizationId }: Tenant, communityId: string): Promise<BuildingSite> {
  const { rows } = await sql<BuildingSite>`
    select "name", "city", "state", "timeZone" from "communities"
    where "organizationId" = ${organizationId} and "id" = ${communityId}`.execute(db)
  if (rows[0] === undefined) throw notFound()
  return rows[0]
}

export async function findPortalHomes({ db, organizationId }: Tenant, ids: readonly string[]): Promise<PortalHome[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<PortalHome>`
    select "name", "address" from "homes"
    where "organizationId" = ${organizationId} and "id" = any(${[...ids]}) order by "name", "id"`.execute(db)
  return rows
}
