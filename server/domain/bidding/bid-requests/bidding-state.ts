import type { BidRequest, BidStatus, Invitation } from '../../../../client/contract.gen.ts'
import { isAcceptingBids, isPastDeadline } from './bid-request.ts'

/**
 * The state of a bid request as the portal shows it to a vendor.
 *
 * - `waiting`, `will_bid`: the vendor can send a price.
 * - `late`: the deadline has passed, but the vendor can still send a price.
 * - `declined`, `withdrawn`, `expired`: there is no valid bid, but the vendor can send a new price.
 * - `declined_closed`, `withdrawn_closed`, `expired_closed`: there is no valid bid, and the vendor can no longer send
 *   a price.
 * - `received`: there is a bid, which the vendor can change.
 * - `received_closed`: there is a bid, and the builder decides.
 * - `not_chosen`: the builder rejected the bid.
 * - `chosen`: the builder accepted the bid.
 * - `given_to_another`: the builder awarded the job to another vendor.
 * - `closed`, `canceled`: the vendor sent no price and can no longer send one.
 */
export type BiddingState =
  | 'waiting'
  | 'will_bid'
  | 'late'
  | 'declined'
  | 'declined_closed'
  | 'withdrawn'
  | 'withdrawn_closed'
  | 'expired'
  | 'expired_closed'
  | 'received'
  | 'received_closed'
  | 'not_chosen'
  | 'chosen'
  | 'given_to_another'
  | 'closed'
  | 'canceled'

export interface BiddingContext {
  invitation: Invitation['status']
  request: Pick<BidRequest, 'status' | 'deadlineAt' | 'acceptLate'>
  /** The status of the vendor's newest bid on the entire request; null if there is no such bid. */
  bid: BidStatus | null
}

/** Returns the state according to the request, the vendor's invitation, and the vendor's bid. */
export function getBiddingState({ invitation, request, bid }: BiddingContext, now: Date): BiddingState {
  if (bid === 'accepted') return 'chosen'
  if (request.status === 'cancelled') return 'canceled'
  if (request.status === 'awarded') return 'given_to_another'
  const isOpen = isAcceptingBids(request, now)
  if (bid === 'rejected') return 'not_chosen'
  if (bid === 'submitted') return isOpen ? 'received' : 'received_closed'
  if (bid === 'withdrawn') return isOpen ? 'withdrawn' : 'withdrawn_closed'
  if (bid === 'expired') return isOpen ? 'expired' : 'expired_closed'
  // The builder entered bids for single homes on behalf of the vendor. The portal does not show these bids.
  if (invitation === 'submitted') return isOpen ? 'received' : 'received_closed'
  if (invitation === 'declined') return isOpen ? 'declined' : 'declined_closed'
  if (!isOpen) return 'closed'
  if (!isBeforeDeadline(request, now)) return 'late'
  return invitation === 'will_bid' ? 'will_bid' : 'waiting'
}

/** Returns whether the builder is waiting for the vendor's price, so that the vendor must act. */
export function isBidAwaited(state: BiddingState): boolean {
  return state === 'waiting' || state === 'will_bid' || state === 'late'
}

/** Returns whether the request is open and its deadline has not passed. If so, the portal shows the remaining time. */
export function isBeforeDeadline(request: Pick<BidRequest, 'status' | 'deadlineAt'>, now: Date): boolean {
  return request.status === 'sent' && !isPastDeadline(request, now)
}
