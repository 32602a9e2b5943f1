import { expect, test } from 'vitest'
import type { BidRequestStatus, BidStatus, Invitation } from '../../../client/contract.gen.ts'
import { type BiddingState, getBiddingState } from '../../domain/bidding/bid-requests/bidding-state.ts'
import { english } from './pages/words/english.ts'
import { spanish } from './pages/words/spanish.ts'

const NOW = new Date('2026-12-01T12:00:00.000Z')
const AHEAD = '2026-12-05T06:00:00.000Z'
const PAST = '2026-11-30T06:00:00.000Z'

interface Phase {
  name: string
  status: BidRequestStatus
  deadlineAt: string
  acceptLate: boolean
}

const REQUESTS: readonly Phase[] = [
  { name: 'open', status: 'sent', deadlineAt: AHEAD, acceptLate: false },
  { name: 'open, late bids accepted', status: 'sent', deadlineAt: AHEAD, acceptLate: true },
  { name: 'past the deadline', status: 'sent', deadlineAt: PAST, acceptLate: false },
  { name: 'past the deadline, late bids accepted', status: 'sent', deadlineAt: PAST, acceptLate: true },
  { name: 'closed', status: 'closed', deadlineAt: PAST, acceptLate: false },
  { name: 'closed early', status: 'closed', deadlineAt: AHEAD, acceptLate: false },
  { name: 'closed, late bids accepted', status: 'closed', deadlineAt: PAST, acceptLate: true },
  { name: 'awarded', status: 'awarded', deadlineAt: PAST, acceptLate: true },
  { name: 'cancelled', status: 'cancelled', deadlineAt: AHEAD, acceptLate: true },
  { name: 'draft', status: 'draft', deadlineAt: AHEAD, acceptLate: true },
]
const INVITATIONS = ['sent', 'viewed', 'will_bid', 'declined', 'submitted', 'no_response'] as const
const BIDS: readonly (BidStatus | null)[] = [null, 'submitted', 'accepted', 'rejected', 'withdrawn', 'expired']

/**
 * The expected state in each phase of the request, by the status of the bid or, without a bid, by the status of the
 * invitation.
 */
type Expected = Record<BidStatus | Exclude<Invitation['status'], 'pending'>, BiddingState>
type Row = [
  ...[
    sent: BiddingState,
    viewed: BiddingState,
    will_bid: BiddingState,
    declined: BiddingState,
    answered: BiddingState,
    silent: BiddingState,
  ],
  ...[
    submitted: BiddingState,
    accepted: BiddingState,
    rejected: BiddingState,
    withdrawn: BiddingState,
    expired: BiddingState,
  ],
]
const row = (...[sent, viewed, will_bid, declined, answered, no_response, ...bids]: Row): Expected => {
  const [submitted, accepted, rejected, withdrawn, expired] = bids
  // The state is the same whether or not the invitation has a bid on the whole request.
  expect(answered).toBe(submitted)
  return { sent, viewed, will_bid, declined, submitted, no_response, accepted, rejected, withdrawn, expired }
}
const [open, late, closed, awarded, cancelled] = [
  row(
    ...(['waiting', 'waiting', 'will_bid', 'declined', 'received', 'waiting'] as const),
    ...(['received', 'chosen', 'not_chosen', 'withdrawn', 'expired'] as const),
  ),
  row(
    ...(['late', 'late', 'late', 'declined', 'received', 'late'] as const),
    ...(['received', 'chosen', 'not_chosen', 'withdrawn', 'expired'] as const),
  ),
  row(
    ...(['closed', 'closed', 'closed', 'declined_closed', 'received_closed', 'closed'] as const),
    ...(['received_closed', 'chosen', 'not_chosen', 'withdrawn_closed', 'expired_closed'] as const),
  ),
  row(
    ...(['given_to_another', 'given_to_another', 'given_to_another', 'given_to_another'] as const),
    ...(['given_to_another', 'given_to_another', 'given_to_another', 'chosen'] as const),
    ...(['given_to_another', 'given_to_another', 'given_to_another'] as const),
  ),
  row(
    ...(['canceled', 'canceled', 'canceled', 'canceled', 'canceled', 'canceled'] as const),
    ...(['canceled', 'chosen', 'canceled', 'canceled', 'canceled'] as const),
  ),
]
const EXPECTED: Readonly<Record<string, Expected>> = {
  open,
  'open, late bids accepted': open,
  'past the deadline': closed,
  'past the deadline, late bids accepted': late,
  closed,
  'closed early': closed,
  'closed, late bids accepted': late,
  awarded,
  cancelled,
  draft: closed,
}

const COMBINATIONS = REQUESTS.flatMap((request) =>
  INVITATIONS.flatMap((invitation) => BIDS.map((bid) => ({ request, invitation, bid }))),
)

test.each(COMBINATIONS)(
  'the portal shows one standing for $request.name with invitation $invitation and bid $bid',
  ({ request, invitation, bid }) => {
    expect(getBiddingState({ invitation, request, bid }, NOW)).toBe(EXPECTED[request.name]?.[bid ?? invitation])
  },
)

test('each standing of a bid request has its own sentence in English and Spanish', () => {
  const standings = new Set(Object.values(EXPECTED).flatMap((row) => Object.values(row)))
  for (const { request } of [english, spanish]) {
    expect(new Set(Object.keys(request.standings))).toEqual(standings)
    expect(new Set(Object.keys(request.short))).toEqual(standings)
    const sentences = Object.values(request.standings)
    expect(new Set(sentences).size).toBe(sentences.length)
  }
})
