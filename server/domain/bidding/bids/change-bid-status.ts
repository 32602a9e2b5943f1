import type { Bid } from '../../../../client/contract.gen.ts'
import { getEventSealState, type WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition } from '../../../platform/problems/problem.ts'
import type { RowChanges } from '../../../platform/resources/resource.ts'
import { BID_MOVES } from './bid.ts'
import type { BidRow } from './queries.ts'
import * as bids from './queries.ts'

/**
 * Changes the status of a bid: checks the change, updates the row, and records the history. The caller must have locked
 * the bid and its request. If the bid is accepted or rejected, also records an event and the decision. Withdrawal and
 * expiration have neither.
 */
export async function changeBidStatus(
  call: WriteCall,
  before: BidRow,
  to: Bid['status'],
  reason: string | null,
  changes: RowChanges<BidRow, 'request' | 'poIds' | 'contractId'> = {},
): Promise<BidRow> {
  assertTransition(BID_MOVES, before.status, to)
  const decision = { decidedAt: call.now.toISOString(), decidedBy: call.actor, decisionReason: reason }
  const isDecision = to === 'accepted' || to === 'rejected'
  const after = await bids.update(call, before, { status: to, ...(isDecision && decision), ...changes })
  await recordStatusChange(call, { id: after.id, from: before.status, to, reason })
  return after
}

export async function recordBidAccepted(call: WriteCall, before: BidRow, after: BidRow): Promise<void> {
  const hiding = getEventSealState(call)
  await recordEvent(call, 'bid.accepted', bids.toBid(hiding, after), bids.toBid(hiding, before))
}

export async function recordBidRejected(call: WriteCall, before: BidRow, after: BidRow): Promise<void> {
  const hiding = getEventSealState(call)
  await recordEvent(call, 'bid.rejected', bids.toBid(hiding, after), bids.toBid(hiding, before))
}
