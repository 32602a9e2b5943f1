import { isDeepStrictEqual } from 'node:util'
import type { PortalBid, PortalBidDraft, PortalSubmittedBid } from '../../../client/contract.gen.ts'
import { isAcceptingBids } from '../../domain/bidding/bid-requests/bid-request.ts'
import { isBeforeDeadline } from '../../domain/bidding/bid-requests/bidding-state.ts'
import { lockBidRequest } from '../../domain/bidding/bid-requests/change-bid-request.ts'
import type { BidRequestRow } from '../../domain/bidding/bid-requests/queries.ts'
import * as requests from '../../domain/bidding/bid-requests/queries.ts'
import * as bids from '../../domain/bidding/bids/queries.ts'
import { reviseBid, submitBid, withdrawBid } from '../../domain/bidding/bids/submit-bid.ts'
import { type Call, recordChange, type WriteCall } from '../../platform/calls/call.ts'
import type { Checked } from '../../platform/calls/checked.gen.ts'
import { conflict } from '../../platform/problems/problem.ts'
import { toLocalDate } from '../../platform/values/calendar.ts'
import { type DraftEntries, findDraft, findNewestBidId, replaceDraft } from './bids/bid-drafts.ts'
import { reviewDraft, toBidAlternates, toBidPrices } from './bids/bid-review.ts'
import { mailBidReceipt } from './bids/mail-bid-receipt.ts'
import { requireVisibleInvitation } from './portal-invitation.ts'
import { getPortalSource } from './portal-source.ts'
import * as portal from './queries.ts'
import { incrementResponseCount } from './response-limit.ts'

/**
 * Returns a vendor's own bid on a request, with the draft that the vendor has saved. Nobody else sees the draft. The
 * vendor always sees the amounts of its own bid, even if a blind request hides them from the builder.
 */
export async function readPortalBid(call: Call, invitationId: string): Promise<PortalBid> {
  const { bidRequestId, vendorId } = await requireVisibleInvitation(call, invitationId)
  return toPortalBid(call, invitationId, await requests.find(call, bidRequestId), vendorId)
}

export async function saveBidDraft(
  call: Call,
  invitationId: string,
  body: Checked['PortalBidDraftInput'],
): Promise<PortalBid> {
  return changeBid(call, invitationId, async (call, request, vendorId) => {
    const bid = await findBid(call, request.id, vendorId)
    if (!canBid(call, request, bid)) throw bidNotAccepted()
    const before = await findDraft(call, invitationId)
    const after = toDraftEntries(body)
    // Saving the same entries again is neither a conflict nor a new version, because it changes nothing.
    if (before !== null && isDeepStrictEqual(getEntries(before), after)) return
    if (body.version !== undefined && body.version !== (before?.version ?? 0))
      throw conflict('changed_meanwhile', 'The draft has changed since you read it. Read the draft again and retry.')
    await replaceDraft(call, invitationId, after)
    recordChange(call, invitationId, 'updated', ['bidDraft'])
  })
}

export async function discardBidDraft(call: Call, invitationId: string): Promise<PortalBid> {
  return changeBid(call, invitationId, async (call) => {
    if ((await findDraft(call, invitationId)) === null) return
    await replaceDraft(call, invitationId, null)
    recordChange(call, invitationId, 'updated', ['bidDraft'])
  })
}

export async function submitBidDraft(
  call: Call,
  invitationId: string,
  version: number | undefined,
): Promise<PortalBid> {
  return changeBid(call, invitationId, async (call, request, vendorId) => {
    const draft = await findDraft(call, invitationId)
    if (draft === null) throw conflict('missing_data', 'Cannot submit the bid: it has no draft. Save a draft first.')
    if (version !== undefined && version !== draft.version)
      throw conflict('changed_meanwhile', 'The draft has changed since you read it. Read the draft again and retry.')
    const counted = incrementResponseCount(
      await portal.findResponseCount(call, invitationId),
      call.now,
      'an invitation',
    )
    await portal.storeResponseCount(call, invitationId, counted)
    const { lines, amount } = toBidPrices(draft)
    const alternates = toBidAlternates(draft)
    const { inclusions, exclusions, note, leadTimeDays, durationDays, validUntil } = draft
    const rest = { inclusions, exclusions, note, leadTimeDays, durationDays, validUntil, source: getPortalSource(call) }
    const before = await findBid(call, request.id, vendorId)
    if (before?.status === 'submitted') {
      await reviseBid(call, before.id, { lines, amount, alternates, ...rest }, undefined)
    } else {
      await submitBid(call, { bidRequestId: request.id, vendorId, homeId: null, lines, amount, alternates, ...rest })
    }
    await replaceDraft(call, invitationId, null)
    const sent = await findBid(call, request.id, vendorId)
    if (sent !== null) await mailBidReceipt(call, invitationId, request, sent)
  })
}

export async function withdrawPortalBid(call: Call, invitationId: string, reason: string | null): Promise<PortalBid> {
  return changeBid(call, invitationId, async (call, request, vendorId) => {
    const bid = await findBid(call, request.id, vendorId)
    if (bid === null) throw conflict('missing_data', 'Cannot withdraw the bid: you have not submitted a bid.')
    if (bid.status === 'submitted' && !canWithdraw(call, request, bid))
      throw conflict('deadline_passed', 'Cannot withdraw the bid: bidding has closed. Contact the builder.')
    await withdrawBid(call, bid.id, reason)
  })
}

/** Locks the request, changes the bid, and returns the new state of the bid. */
async function changeBid(
  call: Call,
  invitationId: string,
  work: (call: WriteCall, request: BidRequestRow, vendorId: string) => Promise<void>,
): Promise<PortalBid> {
  await call.write(async (call) => {
    const { bidRequestId, vendorId } = await requireVisibleInvitation(call, invitationId)
    await work(call, await lockBidRequest(call, bidRequestId), vendorId)
  })
  return readPortalBid(call, invitationId)
}

async function toPortalBid(
  call: Call,
  invitationId: string,
  request: BidRequestRow,
  vendorId: string,
): Promise<PortalBid> {
  const { timeZone } = await portal.findBuildingSite(call, request.communityId)
  const draft = await findDraft(call, invitationId)
  const bid = await findBid(call, request.id, vendorId)
  return {
    invitationId,
    currency: call.currency,
    canBid: canBid(call, request, bid),
    canWithdraw: canWithdraw(call, request, bid),
    draft,
    review:
      draft === null
        ? null
        : reviewDraft(request, draft, { today: toLocalDate(timeZone, call.now), currency: call.currency }),
    bid: bid === null ? null : toSubmittedBid(bid),
  }
}

async function findBid(call: Call, bidRequestId: string, vendorId: string): Promise<bids.BidRow | null> {
  const id = await findNewestBidId(call, bidRequestId, vendorId)
  return id === undefined ? null : bids.find(call, id)
}

function canBid({ now }: Call, request: BidRequestRow, bid: bids.BidRow | null): boolean {
  return isAcceptingBids(request, now) && bid?.status !== 'accepted'
}

/**
 * Returns whether the vendor can withdraw the bid. This is possible before the deadline, when the builder does not
 * compare bids yet.
 */
function canWithdraw({ now }: Call, request: BidRequestRow, bid: bids.BidRow | null): boolean {
  return bid?.status === 'submitted' && isBeforeDeadline(request, now)
}

function bidNotAccepted() {
  return conflict('bid_request_not_open', 'This bid request no longer accepts bids.')
}

function toSubmittedBid(bid: bids.BidRow): PortalSubmittedBid {
  const { id, status, revision, amount, currency, lines, alternates, submittedAt } = bid
  const { inclusions, exclusions, note, leadTimeDays, durationDays, validUntil } = bid
  return {
    ...{ id, status, revision, amount, currency, lines, alternates },
    ...{ inclusions, exclusions, note, leadTimeDays, durationDays, validUntil, submittedAt },
  }
}

function getEntries({ version: _, updatedAt: __, ...entries }: PortalBidDraft): DraftEntries {
  return entries
}

function toDraftEntries(body: Checked['PortalBidDraftInput']): DraftEntries {
  const { amount = null, lines = [], alternates = [], inclusions = null, exclusions = null, note = null } = body
  const { leadTimeDays = null, durationDays = null, validUntil = null } = body
  return {
    amount,
    lines: lines.map(({ lineId = null, description = null, unitPrice = null, excluded, alternate, note = null }) => ({
      ...{ lineId, description, unitPrice, excluded, alternate, note },
    })),
    alternates: alternates.map(({ description = null, amount = null, note = null }) => ({ description, amount, note })),
    ...{ inclusions, exclusions, note, leadTimeDays, durationDays, validUntil },
  }
}
