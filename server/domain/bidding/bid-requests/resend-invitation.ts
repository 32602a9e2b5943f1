import type { Invitation } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { computeLinkExpiry, revokePortalLink } from '../../../platform/keys/portal-links.ts'
import { conflict, notFound } from '../../../platform/problems/problem.ts'
import { formatTimestamp } from '../../../platform/values/format.ts'
import { findPortalObstacle } from '../../vendors/vendors/vendor.ts'
import { lockBidRequest, recordRequestUpdate } from './change-bid-request.ts'
import * as invitations from './invitation-queries.ts'
import { announceInvitations, issueInvitationLinks, lockVendors } from './invite.ts'
import type { BidRequestRow } from './queries.ts'
import * as requests from './queries.ts'

/** Sends an invitation again with a new portal link. The previous link is no longer valid. */
export async function resendInvitation(call: WriteCall, id: string): Promise<Invitation> {
  const { request, invitation } = await lockWithInvitation(call, id)
  const reason = explainNotResendable(call, request, invitation)
  if (reason !== null) throw conflict('wrong_status', reason)
  const found = await lockVendors(call, [invitation.vendorId])
  for (const vendor of found) {
    const obstacle = findPortalObstacle(vendor)
    if (obstacle !== null) throw conflict(obstacle.code, `Cannot resend the invitation. ${obstacle.message}`)
  }
  await revokePortalLink(call, id)
  await issueInvitationLinks(call, [invitation])
  const changed = await recordInvitationChange(call, request, id)
  await announceInvitations(call, request.id, found)
  return changed
}

/** Revokes the portal link of an invitation, if it has one. */
export async function revokeInvitationLink(call: WriteCall, id: string): Promise<Invitation> {
  const { request, invitation } = await lockWithInvitation(call, id)
  if (!(await revokePortalLink(call, id))) return invitation
  return recordInvitationChange(call, request, id)
}

async function lockWithInvitation(call: WriteCall, id: string) {
  const { bidRequestId } = await invitations.find(call, id)
  const request = await lockBidRequest(call, bidRequestId)
  const invitation = request.invitations.find((candidate) => candidate.id === id)
  // Another transaction removed the vendor from the draft before this transaction locked the request.
  if (invitation === undefined) throw notFound()
  return { request, invitation }
}

function explainNotResendable(
  call: WriteCall,
  { status, deadlineAt }: BidRequestRow,
  invitation: invitations.InvitationRow,
): string | null {
  if (invitation.status === 'pending')
    return 'Cannot resend the invitation: it has not been sent. Send it with sendBidRequest instead.'
  if (status === 'cancelled') return 'Cannot resend the invitation: the bid request is canceled.'
  const end = computeLinkExpiry({ createdAt: call.now.toISOString(), deadlineAt })
  if (end.getTime() > call.now.getTime()) return null
  return `Cannot resend the invitation: its link would have expired on ${formatTimestamp(end, call.timeZone)}. Reopen the bid request with a later deadline first.`
}

async function recordInvitationChange(call: WriteCall, before: BidRequestRow, id: string): Promise<Invitation> {
  await invitations.bumpVersion(call, id)
  await recordRequestUpdate(call, before, await requests.bumpVersion(call, before.id))
  return invitations.find(call, id)
}
