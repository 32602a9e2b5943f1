import type { AttachmentContent, PortalAttachment } from '../../../client/contract.gen.ts'
import { attachFile } from '../../domain/attachments/attach.ts'
import { downloadOf } from '../../domain/attachments/download.ts'
import * as attachments from '../../domain/attachments/queries.ts'
import { SHARED } from '../../domain/attachments/record.ts'
import * as requests from '../../domain/bidding/bid-requests/queries.ts'
import type { Call } from '../../platform/calls/call.ts'
import type { FileAnswer } from '../../platform/calls/file-answer.ts'
import type { Json } from '../../platform/calls/json.ts'
import type { Arrived } from '../../platform/calls/upload.ts'
import { conflict, notFound } from '../../platform/problems/problem.ts'
import { listing, type Page } from '../../platform/resources/listing.ts'
import { newestBid } from './bid-drafts.ts'
import { visible } from './invitation.ts'
import { visible as visibleOrder } from './order.ts'
import type { InvitationAddress } from './queries.ts'

/**
 * The files that a vendor sees. For an invitation: the files of the bid request, which all invited vendors see, and
 * those of the invitation itself, which only this vendor and the builder see. For an order: its own. Only files that
 * the builder shares are included.
 */

/** A bid has a few files. Without a limit, anyone with the link could use up the builder's storage. */
const MOST_OF_INVITATION = 20

const list = listing<PortalAttachment>({
  table: 'attachments',
  columns: {
    ...{ id: 'id', fileName: 'text', contentType: 'text', size: 'integer', sha256: 'text' },
    from: { sql: `case when t."createdBy"->>'type' = 'vendor' then 'vendor' else 'builder' end` },
    createdAt: 'instant',
  },
  where: `t."archivedAt" is null and ${SHARED}`,
  filters: {
    recordIds: (ids) => `t."recordId" = any(${ids})`,
    isFromOwnLink: (wanted) => `(t."createdBy"->>'type' = 'vendor' and t."createdBy"->'copiedBy' is null) = ${wanted}`,
  },
})

interface Paging {
  limit: number
  cursor?: string | undefined
}

export async function listFiles(
  call: Call,
  invitationId: string,
  query: Paging,
): Promise<Json<Page<PortalAttachment>>> {
  const address = await visible(call, invitationId)
  const unsent = (await hidesUnsent(call, address)) ? { isFromOwnLink: false } : {}
  return list(call, { ...query, ...unsent, ...{ sort: '-createdAt', recordIds: [address.bidRequestId, invitationId] } })
}

export async function listOrderFiles(
  call: Call,
  purchaseOrderId: string,
  query: Paging,
): Promise<Json<Page<PortalAttachment>>> {
  await visibleOrder(call, purchaseOrderId)
  return list(call, { ...query, ...{ sort: '-createdAt', recordIds: [purchaseOrderId] } })
}

export async function handIn(
  call: Call,
  { invitationId, fileName }: { invitationId: string; fileName: string },
  file: AttachmentContent | Arrived,
): Promise<PortalAttachment> {
  const { bidRequestId } = await visible(call, invitationId)
  const { status, acceptLate } = await requests.find(call, bidRequestId)
  if (status !== 'sent' && !(status === 'closed' && acceptLate))
    throw conflict('bid_request_not_open', `Cannot add files: the bid request is ${status}.`)
  const { id, contentType, size, sha256, createdAt, ...made } = await attachFile(
    call,
    { recordId: invitationId, fileName },
    file,
    MOST_OF_INVITATION,
  )
  return { id, fileName: made.fileName, contentType, size, sha256, from: 'vendor', createdAt }
}

export async function fileOf(call: Call, invitationId: string, attachmentId: string): Promise<FileAnswer> {
  const address = await visible(call, invitationId)
  const attachment = await findShared(call, [address.bidRequestId, invitationId], attachmentId)
  const isFromOwnLink = attachment.createdBy.type === 'vendor' && attachment.createdBy.copiedBy === undefined
  if (isFromOwnLink && (await hidesUnsent(call, address))) throw notFound()
  return downloadOf(call, attachment)
}

/** Whether the caller used a copied link while the vendor has not yet submitted the bid that its files belong to. */
async function hidesUnsent(call: Call, { bidRequestId, vendorId }: InvitationAddress): Promise<boolean> {
  return call.principal.copiedBy !== undefined && (await newestBid(call, bidRequestId, vendorId)) === undefined
}

export async function orderFileOf(call: Call, purchaseOrderId: string, attachmentId: string): Promise<FileAnswer> {
  await visibleOrder(call, purchaseOrderId)
  return downloadOf(call, await findShared(call, [purchaseOrderId], attachmentId))
}

/** Returns the file if it is shared and attached to one of these records. */
async function findShared(call: Call, recordIds: readonly string[], attachmentId: string) {
  const attachment = await attachments.find(call, attachmentId)
  if (!attachment.shared || !recordIds.includes(attachment.recordId)) throw notFound()
  return attachment
}
