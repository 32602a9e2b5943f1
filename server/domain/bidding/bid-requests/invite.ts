import { sql } from 'kysely'
import type { BidRequest, ConflictReason, FieldError, Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { issuePortalLinks } from '../../../platform/keys/portal-links.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { canWorkInCommunity, listEngagementObstacles } from '../../vendors/vendors/vendor.ts'
import * as invitations from './invitation-queries.ts'
import { mailInvitations } from './mail-invitations.ts'
import * as requests from './queries.ts'

/**
 * Locks the vendors until the transaction ends, so that the checks still apply when it commits. The lock is shared, so
 * bid requests to the same vendors can be created concurrently. They wait for each other only if a vendor is invited
 * for the first time, because this changes the vendor.
 */
export async function lockVendors(call: WriteCall, ids: readonly string[]): Promise<Vendor[]> {
  if (ids.length === 0) return []
  // Lock the vendors in the order of their IDs, so that two requests to the same vendors cannot deadlock.
  const { db, organizationId } = call
  await sql`
    select "id" from "vendors" where "organizationId" = ${organizationId} and "id" = any(${ids})
      and "portalStatus" = 'not_invited' order by "id" for no key update`.execute(db)
  await sql`
    select "id" from "vendors" where "organizationId" = ${organizationId} and "id" = any(${ids})
    order by "id" for share`.execute(db)
  return vendors.findAll(call, ids)
}

/** The validation message for a vendor in `vendorIds`, by the reason that prevents the invitation. */
const MUST = {
  vendor_archived: 'must not be an archived vendor',
  vendor_on_hold: 'must not be a vendor on hold',
  vendor_inactive: 'must not be an inactive vendor',
  compliance_expired: 'must be a vendor with valid compliance documents',
} as const

/**
 * Returns an error for each reason why one of these vendors cannot be invited. Each error points to the vendor in
 * `vendorIds`.
 */
export function findInviteErrors(
  found: readonly Vendor[],
  vendorIds: readonly string[],
  communityId: string,
): InviteError[] {
  return found.flatMap((vendor) => {
    const pointer = `/vendorIds/${vendorIds.indexOf(vendor.id)}`
    const errors: InviteError[] = listEngagementObstacles(vendor).map(({ code, message }) => ({
      ...{ pointer, code, message: MUST[code], reason: message },
    }))
    if (!canWorkInCommunity(vendor, communityId)) {
      errors.push({
        pointer,
        code: 'vendor_restricted',
        message: 'must be a vendor that works in the community',
        reason: `${vendor.companyName} does not work in the community of the bid request.`,
      })
    }
    return errors
  })
}

/** The `reason` of the conflict for each error code. */
const CONFLICT_REASONS = {
  vendor_archived: 'vendor_archived',
  vendor_on_hold: 'vendor_on_hold',
  vendor_inactive: 'vendor_inactive',
  compliance_expired: 'compliance_expired',
  vendor_restricted: 'vendor_restricted',
  already_invited: 'already_done',
  minItems: 'missing_data',
  archived: 'archived',
  past: 'deadline_passed',
} as const satisfies Record<string, ConflictReason>

/** The reason why one vendor, or all vendors, cannot be invited. */
export interface InviteError extends FieldError {
  code: keyof typeof CONFLICT_REASONS
  /** A complete sentence for the `detail` of the problem. */
  reason: string
}

/** The maximum length of `detail` in the API contract. */
const MAX_DETAIL_LENGTH = 4000

/** Throws `conflict` if there are errors. The problem contains all errors, and the reason of the first error. */
export function assertCanInvite(errors: readonly InviteError[]): void {
  const [first] = errors
  if (first === undefined) return
  const reasons = errors.map(({ reason }) => reason).join(' ')
  throw conflict(CONFLICT_REASONS[first.code], `Cannot invite vendors. ${reasons}`.slice(0, MAX_DETAIL_LENGTH), {
    errors: errors.map(({ reason: _, ...error }) => error),
  })
}

/** Sends a draft and invites its vendors. The caller must check first whether the vendors can be invited. */
export async function sendBidRequest(
  call: WriteCall,
  draft: requests.BidRequestRow,
  deadlineAt: string,
  invited: readonly Vendor[],
): Promise<BidRequest> {
  await invitations.markInvitationsSent(call, draft.id)
  const sent = await requests.update(call, draft, { status: 'sent', sentAt: call.now.toISOString(), deadlineAt })
  return announceBidRequest(call, draft, sent, invited)
}

/** Returns a draft that is not stored yet as a sent request. */
export function toSentRequest(call: WriteCall, draft: requests.BidRequestRow): requests.BidRequestRow {
  const sent = { status: 'sent' as const, sentAt: call.now.toISOString() }
  return {
    ...{ ...draft, ...sent, version: draft.version + 1 },
    invitations: draft.invitations.map((each) => ({ ...each, ...sent, version: each.version + 1 })),
  }
}

/** Creates the portal links of a request that is being sent, and records the events. */
export async function announceBidRequest(
  call: WriteCall,
  draft: requests.BidRequestRow,
  sent: requests.BidRequestRow,
  invited: readonly Vendor[],
): Promise<BidRequest> {
  await recordStatusChange(call, { id: sent.id, from: draft.status, to: sent.status })
  await issueInvitationLinks(call, sent.invitations)
  const request = requests.toBidRequest(call, sent)
  await recordEvent(call, 'bid_request.sent', request, requests.toBidRequest(call, draft))
  await announceInvitations(call, sent.id, invited)
  return request
}

/** Creates a portal link for each of these invitations, to be emailed. */
export async function issueInvitationLinks(
  call: WriteCall,
  those: readonly Pick<invitations.InvitationRow, 'id' | 'vendorId'>[],
): Promise<void> {
  await issuePortalLinks(
    call,
    those.map(({ id, vendorId }) => ({ subjectId: id, vendorId })),
  )
}

/**
 * Records a `vendor.invited` event for each vendor. If this is the vendor's first invitation, sets its portal status to
 * `invited`.
 */
export async function announceInvitations(
  call: WriteCall,
  bidRequestId: string,
  invited: readonly Vendor[],
): Promise<void> {
  for (const before of invited) {
    const vendor =
      before.portalStatus === 'not_invited' ? await vendors.update(call, before, { portalStatus: 'invited' }) : before
    await recordEvent(call, 'vendor.invited', vendor, before, { reason: 'bid_request', bidRequestId })
  }
  await mailInvitations(call, bidRequestId, invited)
}
