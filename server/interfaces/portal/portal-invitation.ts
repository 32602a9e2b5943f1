import type {
  Invitation,
  PortalAnswer,
  PortalBidInvitation,
  PortalOpen,
  PortalVisit,
} from '../../../client/contract.gen.ts'
import { OPEN_INVITATION_STATUSES } from '../../domain/bidding/bid-requests/bid-request.ts'
import { isBeforeDeadline } from '../../domain/bidding/bid-requests/bidding-state.ts'
import {
  lockBidRequest,
  recordInvitationResponse,
  recordRequestUpdate,
} from '../../domain/bidding/bid-requests/change-bid-request.ts'
import * as invitations from '../../domain/bidding/bid-requests/invitation-queries.ts'
import type { BidRequestRow } from '../../domain/bidding/bid-requests/queries.ts'
import * as requests from '../../domain/bidding/bid-requests/queries.ts'
import { findSpanishScope } from '../../domain/vendors/scopes/queries.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import type { Call, WriteCall } from '../../platform/calls/call.ts'
import { recordEvent } from '../../platform/events/record-event.ts'
import { conflict, notFound, unknownReference } from '../../platform/problems/problem.ts'
import { recordMessageRead } from './portal-message.ts'
import * as portal from './queries.ts'
import { incrementResponseCount } from './response-limit.ts'

/**
 * Returns an invitation that the vendor's token covers. The vendor sees the request and its own responses, but nothing
 * about other vendors.
 */
export async function readInvitation(call: Call, invitationId: string): Promise<PortalBidInvitation> {
  const { bidRequestId } = await requireVisibleInvitation(call, invitationId)
  const request = await requests.find(call, bidRequestId)
  const vendor = await vendors.find(call, String(call.principal.id))
  const { timeZone, ...community } = await portal.findBuildingSite(call, request.communityId)
  const { status, viewedAt, respondedAt, declineReason } = requireInvitation(request, invitationId)
  // An unsent invitation is not visible, so this condition is never true. It only narrows the type.
  if (status === 'pending') throw notFound()
  return {
    id: invitationId,
    status,
    canAnswer: canAnswer(call, request, status),
    viewedAt,
    respondedAt,
    declineReason,
    builder: { name: call.principal.organization.name },
    vendor: { id: vendor.id, companyName: vendor.companyName },
    request: {
      number: request.number,
      title: request.title,
      status: request.status,
      scope: request.scope,
      spanishScope: await findSpanishScope(call, request.scope),
      deadline: request.deadline,
      deadlineAt: request.deadlineAt,
      timeZone,
      acceptLate: request.acceptLate,
      bidType: request.bidType,
      effectiveFrom: request.effectiveFrom,
      effectiveTo: request.effectiveTo,
      // Vendors must not see parts and cost codes, which are the builder's internal data.
      lines: request.lines.map(({ partId: _, costCodeId: __, ...line }) => line),
      message: request.message,
      inclusions: request.inclusions,
      exclusions: request.exclusions,
      cancelReason: request.cancelReason,
    },
    community,
    homes: await portal.findPortalHomes(call, request.homeIds),
  }
}

/**
 * Records a visit. The pages and the vendor's own system call this operation on every visit. The first visit marks the
 * vendor as joined. The first visit to an invitation or a message marks it as viewed or read.
 */
export async function openPortal(call: Call, { invitationId, messageId }: PortalOpen): Promise<PortalVisit> {
  return call.write(async (call) => {
    if (invitationId !== undefined) {
      const address = await portal.findVisibleInvitation(call, invitationId)
      if (address === undefined) throw unknownReference(['/invitationId'])
      await recordView(call, invitationId, address)
    }
    if (messageId !== undefined) await recordMessageRead(call, messageId)
    const vendor = await recordVendorVisit(call)
    const { subjectId, organization } = call.principal
    return {
      builder: { name: organization.name },
      vendor: { id: vendor.id, companyName: vendor.companyName },
      invitationId: subjectId === vendor.id ? null : subjectId,
      language: vendor.language,
      builderPhone: await portal.findBuilderPhone(call),
    }
  })
}

/** Records whether the vendor will bid. The vendor can change the response while bids are accepted. */
export async function respondToInvitation(
  call: Call,
  invitationId: string,
  reply: PortalAnswer,
): Promise<PortalBidInvitation> {
  await call.write(async (call) => {
    const { bidRequestId, vendorId } = await requireVisibleInvitation(call, invitationId)
    const request = await lockBidRequest(call, bidRequestId)
    const { status, declineReason } = requireInvitation(request, invitationId)
    if (!canAnswer(call, request, status))
      throw conflict('bid_request_not_open', 'This bid request no longer accepts responses.')
    const reason = reply.answer === 'declined' ? (reply.reason ?? null) : null
    if (status === reply.answer && declineReason === reason) return
    const counted = incrementResponseCount(
      await portal.findResponseCount(call, invitationId),
      call.now,
      'an invitation',
    )
    await portal.storeResponseCount(call, invitationId, counted)
    await recordInvitationResponse(call, request.id, vendorId, reply.answer, reason)
  })
  return readInvitation(call, invitationId)
}

async function recordView(
  call: WriteCall,
  invitationId: string,
  { bidRequestId }: portal.InvitationReference,
): Promise<void> {
  const before = await lockBidRequest(call, bidRequestId)
  const invitation = requireInvitation(before, invitationId)
  if (invitation.viewedAt !== null) return
  await invitations.update(call, invitation, {
    viewedAt: call.now.toISOString(),
    ...(invitation.status === 'sent' && { status: 'viewed' as const }),
  })
  await recordRequestUpdate(call, before, await requests.bumpVersion(call, bidRequestId))
}

async function recordVendorVisit(call: WriteCall) {
  const before = await vendors.lock(call, String(call.principal.id))
  // The vendor may have been archived after the token was checked.
  if (before.portalStatus === 'joined' || before.archivedAt !== null) return before
  const after = await vendors.update(call, before, { portalStatus: 'joined' })
  await recordEvent(call, 'vendor.updated', after, before)
  return after
}

/** Returns the invitation if the caller's token covers it; otherwise throws `not_found`. */
export async function requireVisibleInvitation(call: Call, invitationId: string): Promise<portal.InvitationReference> {
  const found = await portal.findVisibleInvitation(call, invitationId)
  if (found === undefined) throw notFound()
  return found
}

function requireInvitation(request: BidRequestRow, invitationId: string): invitations.InvitationRow {
  const invitation = request.invitations.find(({ id }) => id === invitationId)
  if (invitation === undefined) throw notFound()
  return invitation
}

function canAnswer(
  { now }: Pick<Call, 'now'>,
  request: Pick<BidRequestRow, 'status' | 'deadlineAt'>,
  status: Invitation['status'],
): boolean {
  return isBeforeDeadline(request, now) && (OPEN_INVITATION_STATUSES.includes(status) || status === 'declined')
}
