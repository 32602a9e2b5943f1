import { isDeepStrictEqual } from 'node:util'
import type { Bid, BidAlternate, BidSource } from '../../../../client/contract.gen.ts'
import { type Call, getEventSealState, type WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, Problem, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { describeStatus, formatDate, formatTimestamp } from '../../../platform/values/format.ts'
import * as homes from '../../land/homes/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { isAcceptingBids, isAmountHidden } from '../bid-requests/bid-request.ts'
import { bumpBidRequestVersion, lockBidRequest, recordInvitationResponse } from '../bid-requests/change-bid-request.ts'
import type { BidRequestRow } from '../bid-requests/queries.ts'
import * as bidRequests from '../bid-requests/queries.ts'
import { hasBidExpired, LIVE_STATUSES } from './bid.ts'
import { changeBidStatus } from './change-bid-status.ts'
import { priceBid } from './price-bid.ts'
import * as bids from './queries.ts'

/** The input for a bid with any source. API clients cannot set the source `portal`. */
type Submission = Omit<Checked['BidSubmit'], 'source'> & { source: BidSource }
type Revision = Omit<Checked['BidRevise'], 'source'> & { source?: BidSource | undefined }

/** Submits a vendor's bid. Locks the bid request first. */
export async function submitBid(call: WriteCall, body: Submission): Promise<Bid> {
  const request = await lockNamedRequest(call, body)
  const homeId = body.homeId ?? null
  if (homeId !== null && !request.homeIds.includes(homeId)) await throwUnknownHome(call, homeId)
  const prices = priceBid(request, { lines: body.lines ?? [], amount: body.amount }, call.currency)
  const validity = await computeValidity(call, request.communityId, body.validUntil ?? null)

  const invitation = request.invitations.find((candidate) => candidate.vendorId === body.vendorId)
  if (invitation === undefined)
    throw conflict('not_invited', `The vendor is not invited to ${request.number}. Invite it with inviteToBid first.`)
  assertAcceptsBids(request, call)
  const live = await bids.listBidsOfRequest(call, request.id, LIVE_STATUSES)
  const earlier = live.find((bid) => bid.vendorId === body.vendorId && bid.homeId === homeId)
  if (earlier !== undefined) {
    const next = earlier.status === 'submitted' ? ' Use reviseBid to change it.' : ''
    throw conflict(
      'already_bid',
      `The vendor already has a bid for ${request.number} (${earlier.id}). The bid is ${earlier.status}.${next}`,
    )
  }

  const inserted = await bids.insert(call, {
    ...body,
    invitationId: invitation.id,
    scope: request.scope,
    communityId: request.communityId,
    status: 'submitted',
    revision: 1,
    ...prices,
    alternates: toAlternates(body.alternates ?? []),
    currency: call.currency,
    ...validity,
    leveling: [],
    submittedAt: call.now.toISOString(),
  })
  await recordStatusChange(call, { id: inserted.id, from: null, to: inserted.status })
  await recordEvent(call, 'bid.submitted', bids.toBid(getEventSealState(call), inserted))
  await recordInvitationResponse(call, request.id, inserted.vendorId, 'submitted')
  return bids.toBid(call, inserted)
}

/**
 * Revises a bid. Omitted fields keep their values. If a user of the builder revises a bid from the portal, the source
 * changes.
 */
export async function reviseBid(
  call: WriteCall,
  bidId: string,
  body: Revision,
  ifMatch: string | undefined,
): Promise<Bid> {
  const { bidRequestId } = await bids.find(call, bidId)
  const request = await lockBidRequest(call, bidRequestId)
  const before = await bids.lock(call, bidId)
  assertIfMatch(ifMatch, before)
  const { externalId, lines, amount, alternates, validUntil, ...rest } = body
  const changes = {
    ...rest,
    ...(alternates !== undefined && { alternates: toAlternates(alternates) }),
    ...((lines !== undefined || amount !== undefined) && repriceBid(call, before, request, body)),
    ...(validUntil !== undefined &&
      validUntil !== before.validUntil &&
      (await computeValidity(call, before.communityId, validUntil))),
  }
  // Comparing the sent price with a hidden price would reveal whether a guess is correct. Therefore, any sent price
  // counts as a change.
  const isPriceHidden = isAmountHidden(call, request)
  const isRevision = Object.entries(changes).some(
    ([field, value]) =>
      value !== undefined &&
      ((isPriceHidden && PRICE_FIELDS.has(field)) || !isDeepStrictEqual(value, before[field as keyof typeof changes])),
  )
  if (!isRevision) return bids.toBid(call, await bids.update(call, before, { externalId }))

  if (before.status !== 'submitted')
    throw conflict(
      'wrong_status',
      `Cannot revise the bid: it is ${before.status}. Only a submitted bid can be revised.`,
    )
  if (hasBidExpired(before, call.now)) {
    const until = before.validUntil === null ? '' : ` It was valid until ${formatDate(before.validUntil)}.`
    throw conflict('bid_expired', `Cannot revise the bid: it has expired.${until}`)
  }
  assertAcceptsBids(request, call)
  const source = changes.source ?? (isFromPortal(before) ? 'api' : before.source)
  // Removes the amounts that leveled the previous revision, because they may not apply to the new revision.
  const revision = { source, revision: before.revision + 1, submittedAt: call.now.toISOString(), leveling: [] }
  const after = await bids.update(call, before, { ...changes, externalId, ...revision })
  const hiding = getEventSealState(call)
  await recordEvent(call, 'bid.submitted', bids.toBid(hiding, after), bids.toBid(hiding, before))
  await bumpBidRequestVersion(call, request.id)
  return bids.toBid(call, after)
}

/** Withdraws a submitted bid. The invitation remains answered, and the vendor can bid again. */
export async function withdrawBid(call: WriteCall, bidId: string, reason: string | null): Promise<Bid> {
  const { bidRequestId } = await bids.find(call, bidId)
  await lockBidRequest(call, bidRequestId)
  const after = await changeBidStatus(call, await bids.lock(call, bidId), 'withdrawn', reason)
  await bumpBidRequestVersion(call, bidRequestId)
  return bids.toBid(call, after)
}

const PRICE_FIELDS: ReadonlySet<string> = new Set(['amount', 'lines', 'alternates'])

function toAlternates(alternates: NonNullable<Checked['BidSubmit']['alternates']>): BidAlternate[] {
  return alternates.map(({ description, amount, note = null }) => ({ description, amount, note }))
}

function isFromPortal({ source }: Pick<Bid, 'source'>): boolean {
  return source === 'portal' || source === 'portal_copied_link'
}

/**
 * Locks the bid request of the input. Checks both IDs in the input before it throws, so that the error reports both.
 */
async function lockNamedRequest(
  call: WriteCall,
  body: Pick<Checked['BidSubmit'], 'bidRequestId' | 'vendorId'>,
): Promise<BidRequestRow> {
  const request = await lockBidRequest(call, body.bidRequestId).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'not_found') return null
    throw error
  })
  const vendor = await vendors.findOptional(call, body.vendorId)
  if (request !== null && vendor !== undefined) return request
  throw unknownReference([
    ...(request === null ? ['/bidRequestId'] : []),
    ...(vendor === undefined ? ['/vendorId'] : []),
  ])
}

async function throwUnknownHome(call: WriteCall, homeId: string): Promise<never> {
  if ((await homes.findOptional(call, homeId)) === undefined) throw unknownReference(['/homeId'])
  throw validationFailed([
    { pointer: '/homeId', code: 'not_requested', message: 'must be one of the homes of the bid request' },
  ])
}

function assertAcceptsBids(request: BidRequestRow, { now, timeZone }: Call): void {
  if (isAcceptingBids(request, now)) return
  const { number, status, deadline, closedAt } = request
  if (status === 'draft')
    throw conflict('bid_request_not_open', `Cannot submit a bid: ${number} is a draft. Send the bid request first.`)
  if (status === 'awarded' || status === 'cancelled')
    throw conflict('bid_request_not_open', `Cannot submit a bid: ${number} is ${describeStatus(status)}.`)
  throw conflict(
    'deadline_passed',
    `Cannot submit the bid: ${number} does not accept late bids. Its deadline was ${formatDate(deadline)}${closedAt === null ? '' : `, and it was closed on ${formatTimestamp(closedAt, timeZone)}`}.`,
  )
}

/** Returns the last valid day of the bid, and the time at which it expires. */
async function computeValidity(
  call: WriteCall,
  communityId: string,
  validUntil: string | null,
): Promise<Pick<bids.BidRow, 'validUntil' | 'expiresAt'>> {
  if (validUntil === null) return { validUntil, expiresAt: null }
  const place = await bidRequests.findCommunityAndDeadline(call, communityId, validUntil)
  const expiresAt = place?.deadlineAt ?? null
  if (hasBidExpired({ expiresAt }, call.now)) {
    throw validationFailed([
      { pointer: '/validUntil', code: 'past', message: `must not be in the past (time zone ${place?.timeZone})` },
    ])
  }
  return { validUntil, expiresAt }
}

function repriceBid(
  call: WriteCall,
  before: bids.BidRow,
  request: BidRequestRow,
  { lines, amount }: Pick<Checked['BidRevise'], 'lines' | 'amount'>,
): Pick<bids.BidRow, 'amount' | 'lines'> {
  if (lines !== undefined) return priceBid(request, { lines, amount }, call.currency)
  if (before.lines.length === 0) return priceBid(request, { lines: [], amount }, call.currency)
  // While the amounts are hidden, the message must neither contain the sum nor reveal whether the amount equals it.
  if (amount === before.amount && !isAmountHidden(call, request)) return { amount, lines: before.lines }
  throw validationFailed([
    {
      pointer: '/amount',
      code: 'sum',
      message: 'must equal the sum of the lines; also set lines, or set lines to [] for a lump sum',
    },
  ])
}
