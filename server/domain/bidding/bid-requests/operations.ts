import type { Vendor } from '../../../../client/contract.gen.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict, unknownReference } from '../../../platform/problems/problem.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { sendNotification } from '../../vendors/vendors/send-notifications.ts'
import { listEngagementObstacles } from '../../vendors/vendors/vendor.ts'
import { BID_REQUEST_MOVES, OPEN_INVITATION_STATUSES, toStoredRequestLines } from './bid-request.ts'
import {
  assertAwaitingBids,
  changeRequestStatus,
  closeBidding,
  lockBidRequest,
  recordRequestUpdate,
} from './change-bid-request.ts'
import { checkBidRequest, isDeadlinePast, listUnknownVendors } from './check-bid-request.ts'
import * as invitations from './invitation-queries.ts'
import {
  announceBidRequest,
  announceInvitations,
  assertCanInvite,
  findInviteErrors,
  type InviteError,
  issueInvitationLinks,
  lockVendors,
  sendBidRequest,
  toSentRequest,
} from './invite.ts'
import * as requests from './queries.ts'
import { resendInvitation, revokeInvitationLink } from './resend-invitation.ts'
import { updateBidRequest } from './update-bid-request.ts'

// The maximum number of invitations in a response of the API contract, which no builder needs.
const MAX_INVITATIONS = 1000

export const bidRequestOperations = {
  async createBidRequest({ query, body }, call) {
    const { vendorIds, sendNow, ...rest } = body
    const requested = {
      homeIds: [],
      effectiveFrom: null,
      effectiveTo: null,
      ...rest,
      lines: toStoredRequestLines(body.lines ?? []),
    }
    const request = await call.write(async (call) => {
      const { deadlineAt, invited } = await checkBidRequest(call, {
        ...requested,
        vendorIds,
        sendNow,
        newDeadline: true,
      })
      const scope = await scopes.requireTrade(call, body.scope, query.createScopes)
      // Take the number last: from then on, all other requests that create a bid request in the organization wait.
      const number = await requests.takeNextNumber(call)
      const made = requests.make(call, { ...requested, status: 'draft', scope, number, deadlineAt })
      const draft = requests.toRowWithoutBids(made, invitations.buildInvitations(call, made.id, vendorIds, 'pending'))
      const created = requests.toBidRequest(call, draft)
      await recordStatusChange(call, { id: draft.id, from: null, to: draft.status })
      await recordEvent(call, 'bid_request.created', created)
      // A request that is sent immediately is stored with the status `sent`.
      const stored = sendNow ? toSentRequest(call, draft) : draft
      await requests.insert(call, stored)
      return sendNow ? announceBidRequest(call, draft, stored, invited) : created
    })
    return { status: 201, body: request }
  },

  async listBidRequests({ query }, call) {
    return { status: 200, body: await requests.list(call, query) }
  },

  async getBidRequest({ path }, call) {
    return { status: 200, body: requests.toBidRequest(call, await requests.find(call, path.bidRequestId)) }
  },

  async updateBidRequest({ path, query, body, ifMatch }, call) {
    const request = await call.write(async (call) => {
      const before = await lockBidRequest(call, path.bidRequestId)
      assertIfMatch(ifMatch, before)
      return updateBidRequest(call, before, body, query.createScopes)
    })
    return { status: 200, body: request }
  },

  async listInvitations({ path, query }, call) {
    const { id } = await requests.find(call, path.bidRequestId)
    return { status: 200, body: await invitations.list(call, query, { bidRequestId: id }) }
  },

  async inviteToBid({ path, body }, call) {
    const added = await call.write(async (call) => {
      const before = await lockBidRequest(call, path.bidRequestId)
      if (before.status !== 'draft' && before.status !== 'sent') {
        throw conflict(
          'bid_request_not_open',
          `Cannot invite more vendors: the bid request is ${describeStatus(before.status)}.`,
        )
      }
      if (before.invitations.length + body.vendorIds.length > MAX_INVITATIONS) {
        throw conflict(
          'limit_reached',
          `A bid request can have at most ${MAX_INVITATIONS} invitations. ${before.number} has ${before.invitations.length}.`,
        )
      }
      const found = await lockVendors(call, body.vendorIds)
      const unknown = listUnknownVendors(found, body.vendorIds)
      if (unknown.length > 0) throw unknownReference(unknown)
      const errors = [
        ...findAlreadyInvited(before, found, body.vendorIds),
        ...findInviteErrors(found, body.vendorIds, before.communityId),
      ]
      assertCanInvite(errors)
      const rows = invitations.buildInvitations(
        call,
        before.id,
        body.vendorIds,
        before.status === 'sent' ? 'sent' : 'pending',
      )
      await invitations.insertInvitations(call, rows)
      if (before.status === 'sent') await issueInvitationLinks(call, rows)
      await recordRequestUpdate(call, before, await requests.bumpVersion(call, before.id))
      if (before.status === 'sent') await announceInvitations(call, before.id, found)
      return rows
    })
    return {
      status: 201,
      body: { data: added, nextCursor: null },
      headers: { Location: `/api/ext/bids/requests/${path.bidRequestId}/invitations` },
    }
  },

  async sendBidRequest({ path }, call) {
    const request = await call.write(async (call) => {
      const draft = await lockBidRequest(call, path.bidRequestId)
      if (draft.status === 'closed')
        throw conflict(
          'wrong_status',
          `Cannot send ${draft.number}: it is closed. Use reopenBidRequest with a new deadline.`,
        )
      assertTransition(BID_REQUEST_MOVES, draft.status, 'sent')
      const vendorIds = draft.invitations.map((invitation) => invitation.vendorId)
      const invited = await lockVendors(call, vendorIds)
      const place = await requests.findCommunityAndDeadline(call, draft.communityId, draft.deadline)
      const deadlineAt = place?.deadlineAt ?? draft.deadlineAt
      const errors = findInviteErrors(invited, vendorIds, draft.communityId)
      if (vendorIds.length === 0)
        errors.push({
          pointer: '/vendorIds',
          code: 'minItems',
          message: 'must have at least one vendor',
          reason: 'The bid request has no vendors. Invite at least one vendor first.',
        })
      if (place?.communityArchived)
        errors.push({
          ...{ pointer: '/communityId', code: 'archived', message: 'must not be an archived community' },
          reason: `${place.communityName} is archived.`,
        })
      if (isDeadlinePast(deadlineAt, call))
        errors.push({
          ...{ pointer: '/deadline', code: 'past', message: 'must be in the future' },
          reason: 'The deadline has passed. Set a later deadline first.',
        })
      assertCanInvite(errors)
      return sendBidRequest(call, draft, deadlineAt, invited)
    })
    return { status: 200, body: request }
  },

  async closeBidRequest({ path }, call) {
    const request = await call.write(async (call) => {
      const before = await requests.lock(call, path.bidRequestId)
      assertTransition(BID_REQUEST_MOVES, before.status, 'closed')
      return requests.toBidRequest(call, await closeBidding(call, before))
    })
    return { status: 200, body: request }
  },

  async reopenBidRequest({ path, body }, call) {
    const request = await call.write(async (call) => {
      const before = await lockBidRequest(call, path.bidRequestId)
      if (before.status === 'draft')
        throw conflict(
          'wrong_status',
          `Cannot reopen ${before.number}: it has not been sent. Send it with sendBidRequest instead.`,
        )
      assertTransition(BID_REQUEST_MOVES, before.status, 'sent')
      const { deadlineAt } = await checkBidRequest(call, {
        ...before,
        vendorIds: [],
        deadline: body.deadline,
        newDeadline: true,
        sendNow: false,
      })
      await invitations.reopenClosedInvitations(call, before.id)
      return changeRequestStatus(call, before, { status: 'sent', deadline: body.deadline, deadlineAt, closedAt: null })
    })
    return { status: 200, body: request }
  },

  async cancelBidRequest({ path, body }, call) {
    const reason = body.reason ?? null
    const request = await call.write(async (call) => {
      const before = await lockBidRequest(call, path.bidRequestId)
      assertTransition(BID_REQUEST_MOVES, before.status, 'cancelled')
      const closedAt = before.closedAt ?? call.now.toISOString()
      return changeRequestStatus(call, before, { status: 'cancelled', cancelReason: reason, closedAt }, { reason })
    })
    return { status: 200, body: request }
  },

  async remindInvitedVendors({ path }, call) {
    const request = await call.write(async (call) => {
      const before = await lockBidRequest(call, path.bidRequestId)
      assertAwaitingBids(before)
      const open = before.invitations.filter((invitation) => OPEN_INVITATION_STATUSES.includes(invitation.status))
      const found = await vendors.findAll(
        call,
        open.map((invitation) => invitation.vendorId),
      )
      const reminded = found.filter((vendor) => listEngagementObstacles(vendor).length === 0)
      if (reminded.length === 0) return requests.toBidRequest(call, before)
      for (const vendor of reminded) {
        await sendNotification(call, vendor, {
          kind: 'reminder',
          bidRequestId: before.id,
          homeId: null,
          taskId: null,
          date: before.deadline,
          message: null,
        })
      }
      const counted = open.filter((invitation) => reminded.some((vendor) => vendor.id === invitation.vendorId))
      await invitations.incrementReminders(
        call,
        counted.map((invitation) => invitation.id),
      )
      return recordRequestUpdate(call, before, await requests.bumpVersion(call, before.id))
    })
    return { status: 200, body: request }
  },

  async resendInvitation({ path }, call) {
    return { status: 200, body: await call.write((call) => resendInvitation(call, path.invitationId)) }
  },

  async revokeInvitation({ path }, call) {
    return { status: 200, body: await call.write((call) => revokeInvitationLink(call, path.invitationId)) }
  },
} satisfies Partial<Handlers>

function findAlreadyInvited(
  request: requests.BidRequestRow,
  found: readonly Vendor[],
  vendorIds: readonly string[],
): InviteError[] {
  const invited = new Set(request.invitations.map((invitation) => invitation.vendorId))
  return found
    .filter((vendor) => invited.has(vendor.id))
    .map((vendor) => ({
      pointer: `/vendorIds/${vendorIds.indexOf(vendor.id)}`,
      code: 'already_invited',
      message: 'must not be a vendor that is already invited',
      reason: `${vendor.companyName} is already invited.`,
    }))
}
