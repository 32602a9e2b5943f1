import type { LinkCopier, PortalLink, Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { findKey } from '../../../platform/keys/keys.ts'
import {
  computeLinkExpiry,
  countLinkCopies,
  hasPortalLink,
  issueLinkCopy,
  type LinkPurpose,
  type LinkSubject,
} from '../../../platform/keys/portal-links.ts'
import { conflict, notFound } from '../../../platform/problems/problem.ts'
import { canReach } from '../../office/mail/queue-mails.ts'
import * as users from '../../office/users/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { listRecipients } from '../../vendors/vendors/vendor.ts'
import { hasSealedAmounts } from '../bid-requests/bid-request.ts'
import { lockBidRequest } from '../bid-requests/change-bid-request.ts'
import * as invitations from '../bid-requests/invitation-queries.ts'

/**
 * The maximum number of active copies of one link. A vendor has fewer users, and users must be able to review the
 * history.
 */
const MAX_COPIES_PER_LINK = 20

/** Creates a link to the vendor's portal, records who copied it, and returns it. */
export async function copyVendorLink(call: WriteCall, vendorId: string): Promise<PortalLink> {
  const vendor = await vendors.lock(call, vendorId)
  const purpose = { createdAt: call.now.toISOString(), deadlineAt: null }
  return copyLink(call, vendor, {
    ...{ subjectId: vendorId, invitation: null, purpose },
    missing: `${vendor.companyName} has no portal link. Invite the vendor to the portal first.`,
  })
}

/**
 * Returns a copy of the portal link of an invitation. Throws `conflict` (`bids_sealed`) while the bid request is blind
 * and open.
 */
export async function copyInvitationLink(call: WriteCall, invitationId: string): Promise<PortalLink> {
  const { bidRequestId } = await invitations.find(call, invitationId)
  const request = await lockBidRequest(call, bidRequestId)
  const invitation = request.invitations.find(({ id }) => id === invitationId)
  // Another transaction removed the vendor from the draft before this transaction locked the request.
  if (invitation === undefined) throw notFound()
  if (hasSealedAmounts(request))
    throw conflict(
      'bids_sealed',
      `Cannot copy the link: ${request.number} is blind and still open. Links of a blind bid request can be copied once it is closed.`,
    )
  const vendor = await vendors.lock(call, invitation.vendorId)
  return copyLink(call, vendor, {
    ...{ subjectId: invitationId, invitation: { id: invitationId, bidRequestId: request.id } },
    purpose: { createdAt: call.now.toISOString(), deadlineAt: request.deadlineAt },
    missing: `The invitation of ${vendor.companyName} to ${request.number} has no valid link. Send or resend the invitation first.`,
  })
}

interface LinkCopyRequest {
  subjectId: string
  invitation: { id: string; bidRequestId: string } | null
  purpose: LinkPurpose
  /** The message if there is no link to copy. */
  missing: string
}

async function copyLink(call: WriteCall, vendor: Vendor, requested: LinkCopyRequest): Promise<PortalLink> {
  const { subjectId, invitation, purpose, missing } = requested
  const { companyName } = vendor
  if (vendor.archivedAt !== null) throw conflict('vendor_archived', `Cannot copy the link: ${companyName} is archived.`)
  if (vendor.status === 'inactive')
    throw conflict('vendor_inactive', `Cannot copy the link: ${companyName} is inactive. Activate the vendor first.`)
  if (await canReach(call, listRecipients(vendor)))
    throw conflict(
      'not_available',
      `Cannot copy the link: links are emailed to ${companyName}. Send the invitation again to email a new link.`,
    )
  const expiresAt = computeLinkExpiry(purpose)
  const addressed: LinkSubject = { subjectId, vendorId: vendor.id }
  if (expiresAt <= call.now || !(await hasPortalLink(call, addressed))) throw conflict('missing_data', missing)
  if ((await countLinkCopies(call, addressed)) >= MAX_COPIES_PER_LINK)
    throw conflict(
      'limit_reached',
      `This link already has ${MAX_COPIES_PER_LINK} active copies, the maximum. Resend the invitation to revoke all copies.`,
    )
  const copiedBy = await findCopier(call)
  const portalUrl = await issueLinkCopy(call, addressed, copiedBy)
  const about = { invitationId: invitation?.id ?? null, bidRequestId: invitation?.bidRequestId ?? null }
  await recordEvent(call, 'vendor.portal_link_copied', vendor, null, about)
  return {
    ...{ vendorId: vendor.id, invitationId: about.invitationId, portalUrl },
    ...{ expiresAt: expiresAt.toISOString(), copiedBy },
  }
}

/** Returns the caller, with the name that the history shows. */
async function findCopier(call: WriteCall): Promise<LinkCopier> {
  const { kind, id, via } = call.principal
  if (id !== null && via === undefined && kind === 'user') {
    const { name } = await users.find(call, id)
    return { type: kind, id, name }
  }
  if (id !== null && kind === 'key') {
    const { name } = await findKey(call, id)
    return { type: kind, id, name }
  }
  throw conflict('wrong_caller', 'Only users and API keys can copy portal links.')
}
