import { sql } from 'kysely'
import type { BidRequest, InvitationStatus } from '../../../client/contract.gen.ts'
import { recordEvent } from '../../events/record.ts'
import { recordStatusChange } from '../../events/status-history.ts'
import { asSystem, type WriteCall } from '../../http/call.ts'
import { assertMove, invalidTransition, problem } from '../../http/problem.ts'
import { BID_REQUEST_MOVES, hidesAmounts, isDue } from './bid-request.ts'
import * as invitations from './invitation-queries.ts'
import type { BidRequestRow } from './queries.ts'
import * as requests from './queries.ts'

/**
 * What happens to a bid request from more than one side: by its own operations, by the clock, by the portal and by bids.
 * Everything here runs in the caller's transaction and under the request's lock, which is taken before that of any bid.
 */

/** The request, held until the transaction ends. One whose deadline has passed is closed first, as the clock would. */
export async function lockBidRequest(call: WriteCall, id: string): Promise<BidRequestRow> {
  const request = await requests.lock(call, id)
  if (!isDue(request, call.now)) return request
  return closeBidding(asSystem(call), request)
}

/** Moves a sent request to closed: nobody is awaited any more, and the amounts of a blind one can be seen. */
export async function closeBidding(call: WriteCall, before: BidRequestRow): Promise<BidRequestRow> {
  await invitations.closeOpen(call, before.id)
  const after = await requests.update(call, before, { status: 'closed', closedAt: call.now.toISOString() })
  await recordMove(call, before, after)
  return after
}

/** A move of the status with all that goes with it: its history, the version of bids whose amounts appear or vanish, the event. */
export async function recordMove(
  call: WriteCall,
  before: BidRequestRow,
  after: BidRequestRow,
  reason?: string | null,
): Promise<void> {
  await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason })
  if (hidesAmounts(before) !== hidesAmounts(after)) {
    await sql`
      update "bids" set "version" = "version" + 1, "updatedAt" = ${call.now}
      where "organizationId" = ${call.organizationId} and "bidRequestId" = ${after.id}`.execute(call.db)
  }
  await recordChange(call, before, after)
}

/** bid_request.updated, when anything changed. */
export async function recordChange(call: WriteCall, before: BidRequestRow, after: BidRequestRow): Promise<BidRequest> {
  const shown = requests.toBidRequest(call, after)
  if (after.version !== before.version)
    await recordEvent(call, 'bid_request.updated', shown, requests.toBidRequest(call, before))
  return shown
}

/** Raises the version, because a bid came, went or was decided, and with it the figures and the ETag of the request. */
export async function touchBidRequest(call: WriteCall, id: string): Promise<void> {
  await requests.touch(call, id)
}

/** The vendor has answered: its invitation moves, and with it the version of the request. */
export async function answerInvitation(
  call: WriteCall,
  id: string,
  vendorId: string,
  answer: Extract<InvitationStatus, 'submitted' | 'will_bid' | 'declined'>,
  declineReason: string | null = null,
): Promise<BidRequest> {
  const before = await requests.find(call, id)
  const invitation = before.invitations.find((candidate) => candidate.vendorId === vendorId)
  if (invitation === undefined) throw problem('conflict', 'The vendor is not invited to this bid request.')
  const respondedAt = call.now.toISOString()
  await invitations.update(call, invitation, {
    status: answer,
    respondedAt,
    declineReason,
  })
  return recordChange(call, before, await requests.touch(call, id))
}

/** Moves the request to awarded; the bid that won was accepted already. */
export async function awardBidRequest(call: WriteCall, id: string, reason?: string | null): Promise<BidRequest> {
  const before = await requests.find(call, id)
  assertMove(BID_REQUEST_MOVES, before.status, 'awarded')
  const closedAt = before.closedAt ?? call.now.toISOString()
  return moved(call, before, { status: 'awarded', closedAt }, { reason })
}

/** Takes an award back: the request is closed, as it was before. Only revoking the accepted bid leads here. */
export async function revokeAward(call: WriteCall, id: string, reason?: string | null): Promise<BidRequest> {
  const before = await requests.find(call, id)
  if (before.status !== 'awarded') throw invalidTransition(before.status, 'closed', BID_REQUEST_MOVES[before.status])
  return moved(call, before, { status: 'closed' }, { reason })
}

/** Changes the request together with its status. */
export async function moved(
  call: WriteCall,
  before: BidRequestRow,
  changes: Parameters<typeof requests.update>[2],
  { reason, ifMatch }: { reason?: string | null | undefined; ifMatch?: string | undefined } = {},
): Promise<BidRequest> {
  const after = await requests.update(call, before, changes, ifMatch)
  await recordMove(call, before, after, reason)
  return requests.toBidRequest(call, after)
}

/** Refuses what makes sense only while vendors may still bid. */
export function assertAwaited(request: BidRequestRow): void {
  if (request.status !== 'sent') throw problem('conflict', `No bid is awaited: the bid request is ${request.status}.`)
}
