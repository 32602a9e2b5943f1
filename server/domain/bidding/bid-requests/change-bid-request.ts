import { sql } from 'kysely'
import type { BidRequest, InvitationStatus } from '../../../../client/contract.gen.ts'
import { getEventSealState, toSystemCall, type WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict, invalidTransition } from '../../../platform/problems/problem.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { BID_REQUEST_MOVES, hasSealedAmounts, isPastDeadline } from './bid-request.ts'
import * as invitations from './invitation-queries.ts'
import type { BidRequestRow } from './queries.ts'
import * as requests from './queries.ts'

/**
 * Functions that change a bid request. They are used by its operations, the job that closes overdue requests, the
 * portal, and bids. All functions run in the caller's transaction, and lock the bid request before its bids.
 */

/**
 * Locks the request until the transaction ends, and returns it. Closes the request first if its deadline has passed.
 */
export async function lockBidRequest(call: WriteCall, id: string): Promise<BidRequestRow> {
  return closeIfDue(call, await requests.lock(call, id))
}

/** Closes a locked request if its deadline has passed, and returns the request. */
export async function closeIfDue(call: WriteCall, request: BidRequestRow): Promise<BidRequestRow> {
  return isPastDeadline(request, call.now) ? closeBidding(toSystemCall(call), request) : request
}

/** Closes a sent request. Vendors can no longer bid, and the amounts of a blind request become visible. */
export async function closeBidding(call: WriteCall, before: BidRequestRow): Promise<BidRequestRow> {
  await invitations.closeOpenInvitations(call, before.id)
  const after = await requests.update(call, before, { status: 'closed', closedAt: call.now.toISOString() })
  await recordRequestStatusChange(call, before, after)
  return after
}

/**
 * Records the history entry and the event of a status change. Increments the versions of the bids whose amounts become
 * visible or hidden.
 */
export async function recordRequestStatusChange(
  call: WriteCall,
  before: BidRequestRow,
  after: BidRequestRow,
  reason?: string | null,
): Promise<void> {
  await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason })
  if (hasSealedAmounts(before) !== hasSealedAmounts(after)) {
    await sql`
      update "bids" set "version" = "version" + 1, "updatedAt" = ${call.now}
      where "organizationId" = ${call.organizationId} and "bidRequestId" = ${after.id}`.execute(call.db)
  }
  await recordRequestUpdate(call, before, after)
}

/** Records a `bid_request.updated` event if any field has changed. */
export async function recordRequestUpdate(
  call: WriteCall,
  before: BidRequestRow,
  after: BidRequestRow,
): Promise<BidRequest> {
  if (after.version !== before.version) {
    const hiding = getEventSealState(call)
    const [object, previous] = [requests.toBidRequest(hiding, after), requests.toBidRequest(hiding, before)]
    await recordEvent(call, 'bid_request.updated', object, previous)
  }
  return requests.toBidRequest(call, after)
}

/**
 * Increments the version of a bid request after a bid is submitted, withdrawn, or decided, because the request contains
 * figures about its bids.
 */
export async function bumpBidRequestVersion(call: WriteCall, id: string): Promise<void> {
  await requests.bumpVersion(call, id)
}

/** Records a vendor's response in the invitation, and increments the version of the bid request. */
export async function recordInvitationResponse(
  call: WriteCall,
  id: string,
  vendorId: string,
  answer: Extract<InvitationStatus, 'submitted' | 'will_bid' | 'declined'>,
  declineReason: string | null = null,
): Promise<BidRequest> {
  const before = await requests.find(call, id)
  const invitation = before.invitations.find((candidate) => candidate.vendorId === vendorId)
  if (invitation === undefined)
    throw conflict('not_invited', `The vendor is not invited to ${before.number}. Invite it with inviteToBid first.`)
  const respondedAt = call.now.toISOString()
  await invitations.update(call, invitation, {
    status: answer,
    respondedAt,
    declineReason,
  })
  return recordRequestUpdate(call, before, await requests.bumpVersion(call, id))
}

/** Marks the request as awarded. The caller must read `before` after it accepts the bid. */
export async function awardBidRequest(
  call: WriteCall,
  before: BidRequestRow,
  reason?: string | null,
): Promise<BidRequest> {
  assertTransition(BID_REQUEST_MOVES, before.status, 'awarded')
  const closedAt = before.closedAt ?? call.now.toISOString()
  return changeRequestStatus(call, before, { status: 'awarded', closedAt }, { reason })
}

/** Reverts an award, so that the request is closed again. Must be called only when the accepted bid is revoked. */
export async function revokeAward(call: WriteCall, id: string, reason?: string | null): Promise<BidRequest> {
  const before = await requests.find(call, id)
  if (before.status !== 'awarded') throw invalidTransition(before.status, 'closed', BID_REQUEST_MOVES[before.status])
  return changeRequestStatus(call, before, { status: 'closed' }, { reason })
}

/** Updates the fields and the status of the request, and records both changes. */
export async function changeRequestStatus(
  call: WriteCall,
  before: BidRequestRow,
  changes: Parameters<typeof requests.update>[2],
  { reason, ifMatch }: { reason?: string | null | undefined; ifMatch?: string | undefined } = {},
): Promise<BidRequest> {
  const after = await requests.update(call, before, changes, ifMatch)
  await recordRequestStatusChange(call, before, after, reason)
  return requests.toBidRequest(call, after)
}

/** Throws `conflict` if vendors can no longer bid. */
export function assertAwaitingBids(request: BidRequestRow): void {
  if (request.status !== 'sent')
    throw conflict(
      'bid_request_not_open',
      `The vendor cannot respond: ${request.number} is ${describeStatus(request.status)}.`,
    )
}
