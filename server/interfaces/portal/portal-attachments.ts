import type { Attachment, AttachmentContent, PortalAttachment } from '../../../client/contract.gen.ts'
import { attachFile } from '../../domain/attachments/attach-file.ts'
import { deleteFile } from '../../domain/attachments/delete-file.ts'
import { createDownload } from '../../domain/attachments/download-file.ts'
import * as attachments from '../../domain/attachments/queries.ts'
import { IS_SHARED_SQL } from '../../domain/attachments/record-types.ts'
import { lockBidRequest } from '../../domain/bidding/bid-requests/change-bid-request.ts'
import * as requests from '../../domain/bidding/bid-requests/queries.ts'
import * as bids from '../../domain/bidding/bids/queries.ts'
import type { Call } from '../../platform/calls/call.ts'
import type { FileResponse } from '../../platform/calls/file-response.ts'
import type { Json } from '../../platform/calls/json.ts'
import type { ReceivedFile } from '../../platform/calls/upload.ts'
import { conflict, notFound } from '../../platform/problems/problem.ts'
import { createListing, type Page } from '../../platform/resources/listing.ts'
import { describeStatus } from '../../platform/values/format.ts'
import { findNewestBidId } from './bids/bid-drafts.ts'
import { requireVisibleInvitation } from './portal-invitation.ts'
import { requireVisibleOrder as visibleOrder } from './portal-order.ts'
import type { InvitationReference } from './queries.ts'

/**
 * The files that a vendor can see, if the builder shares them. For an order, these are the order's files. For an
 * invitation, they are the files of the bid request, which all invited vendors see, and the files of the invitation,
 * which only this vendor and the builder see.
 */

/**
 * The maximum number of files. A bid usually has a few. Without a limit, anyone with the link could fill the builder's
 * storage.
 */
export const MAX_FILES_PER_INVITATION = 20

const listAttachments = createListing<PortalAttachment>({
  table: 'attachments',
  columns: {
    ...{ id: 'id', fileName: 'text', contentType: 'text', size: 'integer', sha256: 'text' },
    from: { sql: `case when t."createdBy"->>'type' = 'vendor' then 'vendor' else 'builder' end` },
    createdAt: 'instant',
  },
  where: `t."archivedAt" is null and ${IS_SHARED_SQL}`,
  filters: {
    recordIds: (ids) => `t."recordId" = any(${ids})`,
    isFromOwnLink: (requested) =>
      `(t."createdBy"->>'type' = 'vendor' and t."createdBy"->'copiedBy' is null) = ${requested}`,
  },
})

interface PageQuery {
  limit: number
  cursor?: string | undefined
}

export async function listInvitationFiles(
  call: Call,
  invitationId: string,
  query: PageQuery,
): Promise<Json<Page<PortalAttachment>>> {
  const address = await requireVisibleInvitation(call, invitationId)
  const unsent = (await isUnsentBidHidden(call, address)) ? { isFromOwnLink: false } : {}
  return listAttachments(call, {
    ...query,
    ...unsent,
    ...{ sort: '-createdAt', recordIds: [address.bidRequestId, invitationId] },
  })
}

export async function listOrderFiles(
  call: Call,
  poId: string,
  query: PageQuery,
): Promise<Json<Page<PortalAttachment>>> {
  await visibleOrder(call, poId)
  return listAttachments(call, { ...query, ...{ sort: '-createdAt', recordIds: [poId] } })
}

export async function uploadInvitationFile(
  call: Call,
  { invitationId, fileName }: { invitationId: string; fileName: string },
  file: AttachmentContent | ReceivedFile,
): Promise<PortalAttachment> {
  const { bidRequestId } = await requireVisibleInvitation(call, invitationId)
  const { status, acceptLate } = await requests.find(call, bidRequestId)
  if (!acceptsFiles({ status, acceptLate }))
    throw conflict('bid_request_not_open', `Cannot add files: the bid request is ${describeStatus(status)}.`)
  const attachment = await attachFile(call, { recordId: invitationId, fileName }, file, {
    max: MAX_FILES_PER_INVITATION,
  })
  return toOwnFile(attachment)
}

function toOwnFile({ id, fileName, contentType, size, sha256, createdAt }: Attachment): PortalAttachment {
  return { id, fileName, contentType, size, sha256, from: 'vendor', createdAt }
}

/**
 * Deletes a file that the vendor uploaded through the same kind of link and has not submitted with a bid. Does nothing
 * if the file has already been deleted.
 */
export async function deleteUnsentFile(
  call: Call,
  invitationId: string,
  attachmentId: string,
): Promise<PortalAttachment> {
  return call.write(async (call) => {
    const { bidRequestId, vendorId } = await requireVisibleInvitation(call, invitationId)
    const { status, acceptLate } = await lockBidRequest(call, bidRequestId)
    const attachment = await attachments.lock(call, attachmentId)
    const { recordId, createdBy, createdAt, fileName } = attachment
    const isCopy = createdBy.copiedBy !== undefined
    if (recordId !== invitationId || createdBy.type !== 'vendor' || isCopy !== (call.principal.copiedBy !== undefined))
      throw notFound()
    if (!acceptsFiles({ status, acceptLate }))
      throw conflict('bid_request_not_open', `Cannot delete ${fileName}: the bid request is ${describeStatus(status)}.`)
    const bidId = await findNewestBidId(call, bidRequestId, vendorId)
    if (bidId !== undefined && (await bids.find(call, bidId)).submittedAt >= createdAt)
      throw conflict('wrong_status', `Cannot delete ${fileName}: it was sent with a bid.`)
    await deleteFile(call, attachment, undefined)
    return toOwnFile(attachment)
  })
}

function acceptsFiles({ status, acceptLate }: Pick<requests.BidRequestRow, 'status' | 'acceptLate'>): boolean {
  return status === 'sent' || (status === 'closed' && acceptLate)
}

export async function openInvitationFile(
  call: Call,
  invitationId: string,
  attachmentId: string,
): Promise<FileResponse> {
  const address = await requireVisibleInvitation(call, invitationId)
  const attachment = await findSharedFile(call, [address.bidRequestId, invitationId], attachmentId)
  const isFromOwnLink = attachment.createdBy.type === 'vendor' && attachment.createdBy.copiedBy === undefined
  if (isFromOwnLink && (await isUnsentBidHidden(call, address))) throw notFound()
  return createDownload(call, attachment)
}

/**
 * Returns whether the bid's files are hidden, because the caller uses a copied link and the vendor has not yet
 * submitted the bid.
 */
async function isUnsentBidHidden(call: Call, { bidRequestId, vendorId }: InvitationReference): Promise<boolean> {
  return call.principal.copiedBy !== undefined && (await findNewestBidId(call, bidRequestId, vendorId)) === undefined
}

export async function openOrderFile(call: Call, poId: string, attachmentId: string): Promise<FileResponse> {
  await visibleOrder(call, poId)
  return createDownload(call, await findSharedFile(call, [poId], attachmentId))
}

/** Returns the file if it is shared and attached to one of these records. */
async function findSharedFile(call: Call, recordIds: readonly string[], attachmentId: string) {
  const attachment = await attachments.find(call, attachmentId)
  if (!attachment.shared || !recordIds.includes(attachment.recordId)) throw notFound()
  return attachment
}
