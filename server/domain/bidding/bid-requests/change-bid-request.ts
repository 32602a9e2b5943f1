import { sql } from 'kysely'
import type { BidRequest, InvitationStatus } from '../../../../client/contract.gen.ts'
import { asSystem, sealedInEvents, type WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict, invalidTransition } from '../../../platform/problems/problem.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { BID_REQUEST_MOVES, hasSealedAmounts, isPastDeadline } from './bid-request.ts'
import * as invitations from './invitation-queries.ts'
import type { BidRequestRow } from './queries.ts'
import * as requests from './queries.ts'

/**
 * Changes to a bid request that several places make: its own operations, the job that closes due requests, the portal,
 * and bids. All run in the caller's transaction and under the request's lock, which is taken before any bid's.
 */

/** Locks the request until the transaction ends, after closing it if its deadline has passed. */
export async function lockBidRequest(call: WriteCall, id: string): Promise<BidRequestRow> {
  return closeIfDue(call, await requests.lock(call, id))
}

/** Returns a locked request, after closing it if its deadline has passed. */
export async function closeIfDue(call: WriteCall, request: BidRequestRow): Promise<BidRequestRow> {
  return isPastDeadline(request, call.now) ? closeBidding(asSystem(call), request) : request
}

/** Closes a sent request: no more bids are expected, and the amounts of a blind request become visible. */
export async function closeBidding(call: WriteCall, before: BidRequestRow): Promise<BidRequestRow> {
  await invitations.closeOpenInvitations(call, before.id)
  const after = await requests.update(call, before, { status: 'closed', closedAt: call.now.toISOString() })
  await recordMove(call, before, after)
  return after
}

/**
 * Records a status change: the history entry, new versions of the bids whose amounts appear or disappear, and the
 * event.
 */
export async function recordMove(
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
  await recordChange(call, before, after)
}

/** Records `bid_request.updated` if anything changed. */
export async function recordChange(call: WriteCall, before: BidRequestRow, after: BidRequestRow): Promise<BidRequest> {
  if (after.version !== before.version) {
    const hiding = sealedInEvents(call)
    const [object, previous] = [requests.toBidRequest(hiding, after), requests.toBidRequest(hiding, before)]
    await recordEvent(call, 'bid_request.updated', object, previous)
  }
  return requests.toBidRequest(call, after)
}

/**
 * Increments the version, because a bid was submitted, withdrawn, or decided, which changes the figures and so the
 * ETag.
 */
export async function bumpBidRequestVersion(call: WriteCall, id: string): Promise<void> {
  await requests.bumpVersion(call, id)
}

/** Records a vendor's response in its invitation, and increments the version of the request. */
export async function answerInvitation(
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
  return recordChange(call, before, await requests.bumpVersion(call, id))
}

/** Marks the request as awarded. Read the request after accepting the winning bid. */
export async function awardBidRequest(
  call: WriteCall,
  before: BidRequestRow,
  reason?: string | null,
): Promise<BidRequest> {
  assertTransition(BID_REQUEST_MOVES, before.status, 'awarded')
  const closedAt = before.closedAt ?? call.now.toISOString()
  return changeStatus(call, before, { status: 'awarded', closedAt }, { reason })
}

/** Reverts an award, so that the request is closed again. Happens only when the accepted bid is revoked. */
export async function revokeAward(call: WriteCall, id: string, reason?: string | null): Promise<BidRequest> {
  const before = await requests.find(call, id)
  if (before.status !== 'awarded') throw invalidTransition(before.status, 'closed', BID_REQUEST_MOVES[before.status])
  return changeStatus(call, before, { status: 'closed' }, { reason })
}

/** Updates the request and its status, and records both. */
export async function changeStatus(
  call: WriteCall,
  before: BidRequestRow,
  changes: Parameters<typeof requests.update>[2],
  { reason, ifMatch }: { reason?: string | null | undefined; ifMatch?: string | undefined } = {},
): Promise<BidRequest> {
  const after = await requests.update(call, before, changes, ifMatch)
  await recordMove(call, before, after, reason)
  return requests.toBidRequest(call, after)
}

/** Throws `conflict` unless vendors can still bid. */
export function assertAwaitingBids(request: BidRequestRow): void {
  if (request.status !== 'sent')
    throw conflict(
      'bid_request_not_open',
      `The vendor cannot answer: ${request.number} is ${describeStatus(request.status)}.`,
    )
}
