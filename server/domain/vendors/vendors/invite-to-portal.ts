import type { Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { hasPortalLink, issuePortalLinks, revokePortalLink } from '../../../platform/keys/portal-links.ts'
import { queueMails } from '../../office/mail/queue-mails.ts'
import * as vendors from './queries.ts'
import { findInviteObstacle, listRecipients } from './vendor.ts'

/** Invites a locked vendor to the portal: creates a link that replaces the previous link, and emails it. */
export async function inviteToPortal(call: WriteCall, before: Vendor): Promise<Vendor> {
  // If a vendor has already joined the portal, its status does not change when it is invited again.
  const portalStatus = before.portalStatus === 'not_invited' ? 'invited' : before.portalStatus
  const vendor = await vendors.update(call, before, { portalStatus })
  await revokePortalLink(call, vendor.id)
  const addresses = await issuePortalLinks(call, [{ subjectId: vendor.id, vendorId: vendor.id }])
  await recordEvent(call, 'vendor.invited', vendor, before, { reason: 'portal', bidRequestId: null })
  await mailPortalLinks(call, [{ vendor, link: addresses.get(vendor.id) ?? null }])
  return vendor
}

/** A vendor with a new link to its entire portal. */
export interface MailablePortalLink {
  vendor: Vendor
  link: string | null
}

/** Emails the links to the vendors. */
export async function mailPortalLinks(call: WriteCall, links: readonly MailablePortalLink[]): Promise<void> {
  await queueMails(
    call,
    links.map(({ vendor, link }) => ({
      ...{ kind: 'portal_invitation' as const, to: listRecipients(vendor), vendorId: vendor.id, aboutId: vendor.id },
      ...{ values: () => ({ 'vendor.companyName': vendor.companyName }), link },
    })),
  )
}

/** If a locked vendor has no portal link and the caller may invite it, invites it. */
export async function ensurePortalLink(call: WriteCall, vendor: Vendor): Promise<void> {
  if (!call.permissions.has('vendors:write') || !call.permissions.has('bids:write')) return
  if (findInviteObstacle(vendor) !== null || (await hasPortalLink(call, { subjectId: vendor.id, vendorId: vendor.id })))
    return
  await inviteToPortal(call, vendor)
}
