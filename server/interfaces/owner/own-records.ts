import { sql } from 'kysely'
import type {
  Attachment,
  BuyerChange,
  HomeOwner,
  Message,
  Sale,
  Selection,
  Walkthrough,
  WarrantyRequest,
} from '../../../client/contract.gen.ts'
import * as attachments from '../../domain/attachments/queries.ts'
import { isSamePerson } from '../../domain/land/home-owners/add-owners.ts'
import * as owners from '../../domain/land/home-owners/queries.ts'
import * as messages from '../../domain/messages/queries.ts'
import type { Call } from '../../platform/calls/call.ts'
import { notFound } from '../../platform/problems/problem.ts'

/**
 * Throws unless the record belongs to the home of the owner's link. The functions in this file need this check, because
 * the owner's permissions apply to the whole organization.
 */
function requireOwn<Row extends { homeId: string | null }>(call: Call, record: Row): Row {
  if (record.homeId === null || record.homeId !== call.principal.subjectId) throw notFound()
  return record
}

export function getHomeId({ principal }: Call): string {
  return String(principal.subjectId)
}

export function findOwner(call: Call): Promise<HomeOwner> {
  return owners.find(call, String(call.principal.id))
}

export async function findOwnSelection(call: Call, selectionId: string): Promise<Selection> {
  const selection = requireOwn(call, await call.operation('getSelection', { selectionId, expand: ['option'] }))
  return hideFormerSignature(call, selection)
}

/** Returns a buyer change after it was sent to the buyer. Buyers cannot see drafts. */
export async function findOwnChange(call: Call, buyerChangeId: string): Promise<BuyerChange> {
  const change = requireOwn(call, await call.operation('getBuyerChange', { buyerChangeId }))
  if (change.sentAt === null) throw notFound()
  return hideFormerSignature(call, change)
}

/** Removes the signature if a previous owner signed, because it contains that person's name. */
async function hideFormerSignature<Signed extends Pick<Selection, 'signature'>>(
  call: Call,
  signed: Signed,
): Promise<Signed> {
  const { signature } = signed
  if (signature === null) return signed
  const isFormer = isBefore({ createdAt: signature.signedAt }, await findFirstVisibleTime(call))
  return isFormer ? { ...signed, signature: null } : signed
}

/** Returns a walkthrough in which the buyer participates. Owners cannot see other walkthroughs. */
export async function findOwnWalkthrough(call: Call, walkthroughId: string): Promise<Walkthrough> {
  const walkthrough = requireOwn(call, await call.operation('getWalkthrough', { walkthroughId }))
  if (walkthrough.kind === 'quality') throw notFound()
  return walkthrough
}

export async function findOwnWarrantyRequest(call: Call, warrantyRequestId: string): Promise<WarrantyRequest> {
  const request = requireOwn(call, await call.operation('getWarrantyRequest', { warrantyRequestId }))
  if (isBefore(request, await findFirstVisibleTime(call))) throw notFound()
  return request
}

const MAX_REQUESTS = 100

/** Returns the home's warranty requests that the owner can see, newest first. */
export async function listOwnWarrantyRequests(call: Call): Promise<WarrantyRequest[]> {
  const { data } = await call.operation('listWarrantyRequests', { homeId: getHomeId(call), limit: MAX_REQUESTS })
  const first = await findFirstVisibleTime(call)
  return data.filter((request) => !isBefore(request, first))
}

/** The maximum number of sales of a home. A home is rarely sold again before it is closed. */
const MAX_SALES = 100

/**
 * Returns the time from which the owner can see warranty requests, files, and signatures; null if the owner can see all
 * of them. An owner must not see the records of a previous owner or of the buyer of a canceled sale.
 */
async function findFirstVisibleTime(call: Call): Promise<string | null> {
  const homeId = getHomeId(call)
  const owner = await findOwner(call)
  const { saleId } = await call.operation('getHome', { homeId })
  const { data: sales } = await call.operation('listSales', { homeId, limit: MAX_SALES })
  const isBuyerOf = ({ buyers }: Sale) => buyers.some((buyer) => isSamePerson(owner, buyer))
  const sale = sales.find(({ id }) => id === saleId)
  if (sale !== undefined && isBuyerOf(sale)) {
    const others = sales.filter((other) => !isBuyerOf(other))
    return others.some((other) => isBefore(other, sale.createdAt)) ? sale.createdAt : null
  }
  const all = await owners.findAllWith(call, { homeId: [homeId] })
  return all.some((each) => isBefore(each, owner.createdAt)) ? owner.createdAt : null
}

function isBefore({ createdAt }: { createdAt: string }, time: string | null): boolean {
  return time !== null && Date.parse(createdAt) < Date.parse(time)
}

/** Returns a file of the home that the builder has shared or that the owner has uploaded. */
export async function findOwnFile(call: Call, attachmentId: string): Promise<Attachment> {
  const file = requireOwn(call, await attachments.find(call, attachmentId))
  if (!file.sharedWithOwner || file.archivedAt !== null) throw notFound()
  if (isBefore(file, await findFirstVisibleTime(call))) throw notFound()
  return file
}

/** The fields of a file that the page shows. */
export type SharedFile = Pick<Attachment, 'id' | 'fileName' | 'kind' | 'size' | 'caption' | 'recordId'> & { at: string }

const MAX_FILES = 100

/** Returns the home's files that are shared with its owners and that this owner can see, newest first. */
export async function listSharedFiles(call: Call): Promise<SharedFile[]> {
  const { db, organizationId, principal } = call
  const first = await findFirstVisibleTime(call)
  const { rows } = await sql<SharedFile>`
    select "id", "fileName", "kind", "size", "caption", "recordId", coalesce("takenAt", "createdAt") as "at"
    from "attachments"
    where "organizationId" = ${organizationId} and "homeId" = ${principal.subjectId} and "sharedWithOwner"
      and "archivedAt" is null and (${first}::timestamptz is null or "createdAt" >= ${first})
    order by "id" desc limit ${MAX_FILES}`.execute(db)
  return rows
}

const MAX_MESSAGES = 100

/** Returns the messages that the owner has written or received, newest first. */
export async function listOwnMessages(call: Call): Promise<Message[]> {
  const { rows } = await sql<{ id: string }>`
    select "messageId" as "id" from "messageRecipients"
    where "organizationId" = ${call.organizationId} and "recipientId" = ${call.principal.id}
    order by "id" desc limit ${MAX_MESSAGES}`.execute(call.db)
  if (rows.length === 0) return []
  const found = await messages.findAll(
    call,
    rows.map(({ id }) => id),
  )
  return found.toSorted((a, b) => b.id.localeCompare(a.id))
}

/**
 * Returns the messages of a thread, oldest first. Throws `not_found` if none of the messages is visible to the owner.
 */
export async function listThread(call: Call, messageId: string): Promise<Message[]> {
  const all = await listOwnMessages(call)
  const message = all.find(({ id }) => id === messageId)
  if (message === undefined) throw notFound()
  const thread = message.threadId ?? message.id
  return all.filter(({ id, threadId }) => (threadId ?? id) === thread).toReversed()
}
