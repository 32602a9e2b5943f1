import type { Vendor } from '../../../client/contract.gen.ts'
import type { Db } from '../../database/database.ts'
import type { Call } from '../../http/call.ts'
import type { Some } from '../../http/operation.ts'
import { invalid, problem } from '../../http/problem.ts'
import * as communities from '../../land/communities/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import { dateIn } from '../../values/calendar.ts'
import { OPEN_INVITATION } from '../bid-requests/bid-request.ts'
import { assertAwaited, lockBidRequest, recordChange } from '../bid-requests/changes.ts'
import * as invitations from '../bid-requests/invitation-queries.ts'
import * as bidRequests from '../bid-requests/queries.ts'
import * as notifications from '../vendors/notification-queries.ts'
import { type Notice, sendNotification } from '../vendors/notify.ts'
import * as vendors from '../vendors/queries.ts'
import { reasonNotToEngage, recipientsOf } from '../vendors/vendor.ts'
import { reasonNotToAnnounce, subjectOf } from './notice.ts'

type About = Pick<Notice, 'bidRequestId' | 'homeId' | 'date'>

export const vendorNotificationOperations: Some<'listVendorNotifications' | 'notifyVendor'> = {
  async listVendorNotifications({ path, query }, call) {
    const { id } = await vendors.find(call.db, call.organizationId, path.vendorId)
    return { status: 200, body: await notifications.list(call.db, call.organizationId, query, { vendorId: id }) }
  },

  async notifyVendor({ path, body }, call) {
    const subject = subjectOf(body)
    if (Array.isArray(subject)) throw invalid(subject)
    const notification = await call.write(async (trx) => {
      const vendor = await vendors.find(trx, call.organizationId, path.vendorId)
      if (vendor.archivedAt !== null) throw problem('conflict', `${vendor.companyName} is archived.`)
      if (recipientsOf(vendor).length === 0) {
        throw problem(
          'conflict',
          `${vendor.companyName} has no e-mail address, and no contact with one who is to be notified.`,
        )
      }
      const about =
        subject.bidRequestId === undefined
          ? await aboutHome(trx, call, subject.homeId, subject.date)
          : await aboutDeadline(trx, call, vendor, subject.bidRequestId)
      return sendNotification(trx, call, vendor, { kind: body.kind, message: body.message ?? null, ...about })
    })
    const Location = `/api/ext/vendors/${notification.vendorId}/notifications?ids=${notification.id}`
    return { status: 201, body: notification, headers: { Location } }
  },
}

async function aboutHome(trx: Db, call: Call, homeId: string, date: string): Promise<About> {
  await homes.assertExist(trx, call.organizationId, [homeId], '/homeId')
  const home = await homes.find(trx, call.organizationId, homeId)
  const reason = reasonNotToAnnounce(home)
  if (reason !== null) throw problem('conflict', reason)
  const { timeZone } = await communities.find(trx, call.organizationId, home.communityId)
  const today = dateIn(timeZone, call.now)
  if (date < today)
    throw invalid([{ pointer: '/date', code: 'minimum', message: `must not be before today, ${today}` }])
  return { homeId, bidRequestId: null, date }
}

// The invitation counts its reminders, whoever sends them.
async function aboutDeadline(trx: Db, call: Call, vendor: Vendor, bidRequestId: string): Promise<About> {
  await bidRequests.assertExist(trx, call.organizationId, [bidRequestId], '/bidRequestId')
  const request = await lockBidRequest(trx, call, bidRequestId)
  const invitation = request.invitations.find(({ vendorId }) => vendorId === vendor.id)
  if (invitation === undefined) throw problem('conflict', `${vendor.companyName} is not invited to ${request.number}.`)
  assertAwaited(request)
  if (!OPEN_INVITATION.includes(invitation.status))
    throw problem('conflict', `${vendor.companyName} has answered ${request.number}.`)
  const reason = reasonNotToEngage(vendor)
  if (reason !== null) throw problem('conflict', `The reminder is not sent: ${reason}.`)
  await invitations.countReminders(trx, call, [invitation.id])
  await recordChange(trx, call, request, await bidRequests.touch(trx, call, request.id))
  return { bidRequestId: request.id, homeId: null, date: request.deadline }
}
