import type { PortalBid, PortalSubmittedBid } from '../../../client/contract.gen.ts'
import { acceptsBids } from '../../domain/bidding/bid-requests/bid-request.ts'
import { lockBidRequest } from '../../domain/bidding/bid-requests/change-bid-request.ts'
import type { BidRequestRow } from '../../domain/bidding/bid-requests/queries.ts'
import * as requests from '../../domain/bidding/bid-requests/queries.ts'
import * as bids from '../../domain/bidding/bids/queries.ts'
import { reviseBid, submitBid, withdrawBid } from '../../domain/bidding/bids/submit-bid.ts'
import { type Call, recordChange, type WriteCall } from '../../platform/calls/call.ts'
import type { Checked } from '../../platform/calls/checked.gen.ts'
import { conflict } from '../../platform/problems/problem.ts'
import { dateIn } from '../../platform/values/calendar.ts'
import { countAnswer } from './answer-limit.ts'
import { type DraftEntries, findDraft, findNewestBidId, replaceDraft } from './bid-drafts.ts'
import { reviewDraft, toBidPrices } from './bid-review.ts'
import { requireVisibleInvitation } from './portal-invitation.ts'
import * as portal from './queries.ts'
import { portalSource } from './source.ts'

/**
 * A vendor's own bid on a request. The vendor saves drafts, which nobody else sees, and submits the saved draft. It
 * always sees its own amounts, including those that a blind request hides from the builder.
 */
export async function readBid(call: Call, invitationId: string): Promise<PortalBid> {
  const { bidRequestId, vendorId } = await requireVisibleInvitation(call, invitationId)
  return toPortalBid(call, invitationId, await requests.find(call, bidRequestId), vendorId)
}

export async function saveDraft(
  call: Call,
  invitationId: string,
  body: Checked['PortalBidDraftInput'],
): Promise<PortalBid> {
  return changeBid(call, invitationId, async (call, request, vendorId) => {
    const bid = await findBid(call, request.id, vendorId)
    if (!canBid(call, request, bid)) throw bidNotAccepted()
    await replaceDraft(call, invitationId, toDraftEntries(body))
    recordChange(call, invitationId, 'updated', ['bidDraft'])
  })
}

export async function discardDraft(call: Call, invitationId: string): Promise<PortalBid> {
  return changeBid(call, invitationId, async (call) => {
    if ((await findDraft(call, invitationId)) === null) return
    await replaceDraft(call, invitationId, null)
    recordChange(call, invitationId, 'updated', ['bidDraft'])
  })
}

export async function submitDraft(call: Call, invitationId: string, version: number | undefined): Promise<PortalBid> {
  return changeBid(call, invitationId, async (call, request, vendorId) => {
    const draft = await findDraft(call, invitationId)
    if (draft === null) throw conflict('missing_data', 'Cannot submit the bid: it has no draft. Save a draft first.')
    if (version !== undefined && version !== draft.version)
      throw conflict('changed_meanwhile', 'The draft has changed since you read it. Read it again and retry.')
    const counted = countAnswer(await portal.findAnswerCount(call, invitationId), call.now, 'an invitation')
    await portal.storeAnswerCount(call, invitationId, counted)
    const { lines, amount } = toBidPrices(draft)
    const { inclusions, exclusions, note, leadTimeDays, durationDays, validUntil } = draft
    const rest = { inclusions, exclusions, note, leadTimeDays, durationDays, validUntil, source: portalSource(call) }
    const before = await findBid(call, request.id, vendorId)
    if (before?.status === 'submitted') {
      await reviseBid(call, before.id, { lines, amount, ...rest }, undefined)
    } else {
      await submitBid(call, { bidRequestId: request.id, vendorId, homeId: null, lines, amount, ...rest })
    }
    await replaceDraft(call, invitationId, null)
  })
}

export async function withdrawPortalBid(call: Call, invitationId: string, reason: string | null): Promise<PortalBid> {
  return changeBid(call, invitationId, async (call, request, vendorId) => {
    const bid = await findBid(call, request.id, vendorId)
    if (bid === null) throw conflict('missing_data', 'Cannot withdraw the bid: you have not submitted a bid.')
    await withdrawBid(call, bid.id, reason)
  })
}

/** Changes the bid under the lock of its request, and reads it again. */
async function changeBid(
  call: Call,
  invitationId: string,
  work: (call: WriteCall, request: BidRequestRow, vendorId: string) => Promise<void>,
): Promise<PortalBid> {
  await call.write(async (call) => {
    const { bidRequestId, vendorId } = await requireVisibleInvitation(call, invitationId)
    await work(call, await lockBidRequest(call, bidRequestId), vendorId)
  })
  return readBid(call, invitationId)
}

async function toPortalBid(
  call: Call,
  invitationId: string,
  request: BidRequestRow,
  vendorId: string,
): Promise<PortalBid> {
  const { timeZone } = await portal.findSite(call, request.communityId)
  const draft = await findDraft(call, invitationId)
  const bid = await findBid(call, request.id, vendorId)
  return {
    invitationId,
    currency: call.currency,
    canBid: canBid(call, request, bid),
    canWithdraw: bid?.status === 'submitted',
    draft,
    review:
      draft === null
        ? null
        : reviewDraft(request, draft, { today: dateIn(timeZone, call.now), currency: call.currency }),
    bid: bid === null ? null : toSubmittedBid(bid),
  }
}

async function findBid(call: Call, bidRequestId: string, vendorId: string): Promise<bids.BidRow | null> {
  const id = await findNewestBidId(call, bidRequestId, vendorId)
  return id === undefined ? null : bids.find(call, id)
}

function canBid({ now }: Call, request: BidRequestRow, bid: bids.BidRow | null): boolean {
  return acceptsBids(request, now) && bid?.status !== 'accepted'
}

function bidNotAccepted() {
  return conflict('bid_request_not_open', 'This bid request no longer accepts bids.')
}

function toSubmittedBid(bid: bids.BidRow): PortalSubmittedBid {
  const { id, status, revision, amount, currency, lines, submittedAt } = bid
  const { inclusions, exclusions, note, leadTimeDays, durationDays, validUntil } = bid
  return {
    ...{ id, status, revision, amount, currency, lines },
    ...{ inclusions, exclusions, note, leadTimeDays, durationDays, validUntil, submittedAt },
  }
}

function toDraftEntries(body: Checked['PortalBidDraftInput']): DraftEntries {
  const { amount = null, lines = [], inclusions = null, exclusions = null, note = null } = body
  const { leadTimeDays = null, durationDays = null, validUntil = null } = body
  return {
    amount,
    lines: lines.map(({ lineId = null, description = null, unitPrice = null, excluded, alternate, note = null }) => ({
      ...{ lineId, description, unitPrice, excluded, alternate, note },
    })),
    ...{ inclusions, exclusions, note, leadTimeDays, durationDays, validUntil },
  }
}
