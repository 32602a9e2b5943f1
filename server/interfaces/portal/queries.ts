import { sql } from 'kysely'
import type {
  PortalBidInvitationSummary,
  PortalHome,
  PortalLienWaiverSummary,
  PortalMessage,
  PortalTaskSummary,
} from '../../../client/contract.gen.ts'
import type { Call, Principal, Tenant, WriteCall } from '../../platform/calls/call.ts'
import type { Json } from '../../platform/calls/json.ts'
import { notFound } from '../../platform/problems/problem.ts'
import { type ListQuery, listing, type Page } from '../../platform/resources/listing.ts'

// The database would format timestamps within JSON in its own way.
const REQUEST = `
  select json_build_object('number', r."number", 'title', r."title", 'status', r."status", 'scope', r."scope", 'deadline', r."deadline",
    'deadlineAt', to_char(r."deadlineAt" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  from "bidRequests" as r where r."organizationId" = t."organizationId" and r."id" = t."bidRequestId"`

/**
 * Whether the invitation `t` belongs to a blind request that is still open. The rule is `hidesAmounts` of a bid
 * request.
 */
const IS_SEALED = `exists (
  select from "bidRequests" as r where r."organizationId" = t."organizationId" and r."id" = t."bidRequestId"
    and r."blind" and r."status" = 'sent')`

/** Lists a vendor's invitations, newest first, without those that were not sent. */
const listInvitations = listing<PortalBidInvitationSummary>({
  table: 'invitations',
  columns: { id: 'id', status: 'enum', request: { sql: REQUEST } },
  where: `t."status" <> 'pending'`,
  filters: { isSealed: (wanted) => `${IS_SEALED} = ${wanted}` },
})

/** Lists the invitations that the caller's link covers. A copied link does not cover an open blind request. */
export function list(call: Call, query: ListQuery): Promise<Json<Page<PortalBidInvitationSummary>>> {
  const { principal } = call
  const wanted = principal.copiedBy === undefined ? query : { ...query, isSealed: false }
  return listInvitations(call, wanted, visibleTo(principal))
}

const TASK_HOME = `
  select json_build_object('name', h."name", 'community', c."name")
  from "homes" as h join "communities" as c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
  where h."organizationId" = t."organizationId" and h."id" = t."homeId"`

/** Lists a vendor's coming tasks, without those that it was not notified of. */
export const listTasks = listing<PortalTaskSummary>({
  table: 'tasks',
  columns: {
    ...{ id: 'id', name: 'text', plannedStart: 'date', plannedEnd: 'date', confirmation: 'json' },
    home: { sql: TASK_HOME },
  },
  where: `t."notifiedStart" is not null and t."archivedAt" is null and t."actualStart" is null
    and t."status" in ('not_started', 'on_hold')`,
  filters: { confirmationStatus: (status) => `t."confirmationStatus" = ${status}` },
})

const PAYMENT_NUMBER = `
  select p."number" from "payments" as p where p."organizationId" = t."organizationId" and p."id" = t."paymentId"`

/** Lists the lien waivers that were requested from a vendor, newest first. */
export const listWaivers = listing<PortalLienWaiverSummary>({
  table: 'lienWaivers',
  columns: {
    ...{ id: 'id', waiverType: 'enum', status: 'enum', throughDate: 'date', amount: 'decimal', currency: 'enum' },
    paymentNumber: { sql: PAYMENT_NUMBER },
  },
})

const CONTENT = `
  select json_build_object('threadId', m."threadId", 'subject', m."subject", 'body', m."body",
    'sentAt', to_char(m."sentAt" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  from "messages" as m where m."organizationId" = t."organizationId" and m."id" = t."messageId"`

/** Lists the messages between builder and vendor. */
export const listMessages = listing<PortalMessage>({
  table: 'messageRecipients',
  columns: { id: 'id', isOwn: 'boolean', readAt: 'instant?', content: { sql: CONTENT } },
})

/** Returns the condition for the messages that a token covers. A token of one invitation covers none. */
export function boxOf({ id, subjectId }: Principal): Record<string, string> {
  return { recipientId: subjectId === id ? String(id) : '' }
}

export interface Boxed {
  isOwn: boolean
  readAt: string | null
}

/** Returns how a message belongs to a vendor, if it does. */
export async function boxedAs(
  { db, organizationId }: Tenant,
  messageId: string,
  { recipientId = '' }: Record<string, string>,
): Promise<Boxed | undefined> {
  const { rows } = await sql<Boxed>`
    select "isOwn", "readAt" from "messageRecipients"
    where "organizationId" = ${organizationId} and "recipientId" = ${recipientId} and "messageId" = ${messageId}`.execute(
    db,
  )
  return rows[0]
}

/** Returns the times of the vendor's messages since `since`, earliest first. */
export async function writtenSince({ db, organizationId }: Tenant, vendorId: string, since: Date, most: number) {
  const { rows } = await sql<{ sentAt: string }>`
    select m."sentAt" from "messageRecipients" as r
    join "messages" as m on m."organizationId" = r."organizationId" and m."id" = r."messageId"
    where r."organizationId" = ${organizationId} and r."recipientId" = ${vendorId} and r."isOwn" and m."sentAt" > ${since.toISOString()}
    order by r."messageId" desc limit ${most}`.execute(db)
  return rows.map(({ sentAt }) => sentAt).reverse()
}

/**
 * Returns the condition for the records that a vendor's token covers: all of its own, or only those of one invitation.
 */
export function visibleTo({ id, subjectId }: Principal): Record<string, string> {
  const vendorId = String(id)
  return subjectId === null || subjectId === id ? { vendorId } : { vendorId, id: subjectId }
}

/** Returns the condition for all records of a vendor. A token of one invitation covers none of them. */
export function wholeOf({ id, subjectId }: Principal): Record<string, string> {
  return { vendorId: subjectId === id ? String(id) : '' }
}

export interface InvitationAddress {
  bidRequestId: string
  vendorId: string
}

/** Returns the invitation if the caller's link covers it. A copied link does not cover an open blind request. */
export async function addressOf(
  { db, organizationId, principal }: Call,
  id: string,
): Promise<InvitationAddress | undefined> {
  let query = db
    .selectFrom('invitations as t')
    .select(['bidRequestId', 'vendorId'])
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .where('status', '<>', 'pending')
  for (const [column, value] of Object.entries(visibleTo(principal)))
    query = query.where(sql.ref<string>(column), '=', value)
  if (principal.copiedBy !== undefined) query = query.where(sql<boolean>`not ${sql.raw(IS_SEALED)}`)
  return query.executeTakeFirst()
}

export interface Answers {
  /** The start of the hour in which answers are counted; null before the first answer. */
  since: string | null
  count: number
}

/** Returns how often the answer to an invitation was changed recently. */
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

/** Returns how often the vendor's answer about a task was changed recently. */
export async function taskAnswersOf({ db, organizationId }: Tenant, id: string): Promise<Answers> {
  return db
    .selectFrom('tasks')
    .select(['answersSince as since', 'answerCount as count'])
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

export async function noteTaskAnswers({ db, organizationId }: WriteCall, id: string, answers: Answers): Promise<void> {
  await db
    .updateTable('tasks')
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
