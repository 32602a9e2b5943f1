import type { Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { OPEN_INVITATION_STATUSES } from '../../bidding/bid-requests/bid-request.ts'
import {
  assertAwaitingBids,
  lockBidRequest,
  recordRequestUpdate,
} from '../../bidding/bid-requests/change-bid-request.ts'
import * as invitations from '../../bidding/bid-requests/invitation-queries.ts'
import * as bidRequests from '../../bidding/bid-requests/queries.ts'
import { explainNotificationConflict } from '../../building/tasks/confirmation.ts'
import * as tasks from '../../building/tasks/queries.ts'
import * as communities from '../../land/communities/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import * as notifications from '../../vendors/vendors/notification-queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { type Notice, sendNotification } from '../../vendors/vendors/send-notifications.ts'
import { findEngagementObstacle, listRecipients } from '../../vendors/vendors/vendor.ts'
import { explainHomeNoticeConflict, type NoticeSubject, readNoticeSubject } from './notice-subject.ts'

type NoticeContent = Pick<Notice, 'bidRequestId' | 'homeId' | 'taskId' | 'date'>

export const vendorNotificationOperations = {
  async listVendorNotifications({ path, query }, call) {
    const { id } = await vendors.find(call, path.vendorId)
    return { status: 200, body: await notifications.list(call, query, { vendorId: id }) }
  },

  async notifyVendor({ path, body }, call) {
    const subject = readNoticeSubject(body)
    if (Array.isArray(subject)) throw validationFailed(subject)
    const notification = await call.write(async (call) => {
      const vendor = await vendors.find(call, path.vendorId)
      if (vendor.archivedAt !== null)
        throw conflict('vendor_archived', `Cannot notify ${vendor.companyName}: it is archived.`)
      if (listRecipients(vendor).length === 0) {
        throw conflict(
          'no_recipient',
          `${vendor.companyName} has no email address. Add one to the vendor or to a contact that receives notifications.`,
        )
      }
      const about = await toNoticeContent(call, vendor, subject)
      return sendNotification(call, vendor, { kind: body.kind, message: body.message ?? null, ...about })
    })
    const Location = `/api/ext/vendors/${notification.vendorId}/notifications?ids=${notification.id}`
    return { status: 201, body: notification, headers: { Location } }
  },
} satisfies Partial<Handlers>

function toNoticeContent(call: WriteCall, vendor: Vendor, subject: NoticeSubject): Promise<NoticeContent> {
  if (subject.taskId !== undefined) return describeTask(call, vendor, subject.taskId)
  if (subject.bidRequestId !== undefined) return describeDeadline(call, vendor, subject.bidRequestId)
  return describeHome(call, subject.homeId, subject.date)
}

// Locks the home, as every change of its schedule does, because the notice is stored on the task.
async function describeTask(call: WriteCall, vendor: Vendor, taskId: string): Promise<NoticeContent> {
  const home = await tasks.lockHome(call, { taskId })
  if (home === undefined) throw unknownReference(['/taskId'])
  const task = await tasks.find(call, taskId)
  const reason =
    explainHomeNoticeConflict(home) ?? explainNotificationConflict(vendor, task, toLocalDate(home.timeZone, call.now))
  if (reason !== null) throw conflict('wrong_status', reason)
  await tasks.update(call, task, { notifiedStart: task.plannedStart, notifiedAt: call.now.toISOString() })
  return { taskId, homeId: home.id, bidRequestId: null, date: task.plannedStart }
}

async function describeHome(call: WriteCall, homeId: string, date: string): Promise<NoticeContent> {
  await homes.assertExist(call, [homeId], '/homeId')
  const home = await homes.find(call, homeId)
  const reason = explainHomeNoticeConflict(home)
  if (reason !== null) throw conflict('home_not_open', reason)
  const { timeZone } = await communities.find(call, home.communityId)
  const today = toLocalDate(timeZone, call.now)
  if (date < today)
    throw validationFailed([{ pointer: '/date', code: 'minimum', message: `must not be before today (${today})` }])
  return { homeId, taskId: null, bidRequestId: null, date }
}

// Locks the bid request, because the invitation counts all reminders.
async function describeDeadline(call: WriteCall, vendor: Vendor, bidRequestId: string): Promise<NoticeContent> {
  await bidRequests.assertExist(call, [bidRequestId], '/bidRequestId')
  const request = await lockBidRequest(call, bidRequestId)
  const invitation = request.invitations.find(({ vendorId }) => vendorId === vendor.id)
  if (invitation === undefined)
    throw conflict(
      'not_invited',
      `Cannot send the reminder: ${vendor.companyName} is not invited to ${request.number}.`,
    )
  assertAwaitingBids(request)
  if (!OPEN_INVITATION_STATUSES.includes(invitation.status))
    throw conflict(
      'already_answered',
      `Cannot send the reminder: ${vendor.companyName} has already responded to ${request.number}.`,
    )
  const obstacle = findEngagementObstacle(vendor)
  if (obstacle !== null) throw conflict(obstacle.code, `Cannot send the reminder. ${obstacle.message}`)
  await invitations.incrementReminders(call, [invitation.id])
  await recordRequestUpdate(call, request, await bidRequests.bumpVersion(call, request.id))
  return { bidRequestId: request.id, homeId: null, taskId: null, date: request.deadline }
}
