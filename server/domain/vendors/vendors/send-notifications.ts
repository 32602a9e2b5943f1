import type { Vendor, VendorNotification } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { buildEvent, type NewEvent, recordEvents } from '../../../platform/events/record-event.ts'
import { canSendMail, queueMails } from '../../office/mail/queue-mails.ts'
import { renderNoticeMails } from './notice-mails.ts'
import * as notifications from './notification-queries.ts'
import { listRecipients } from './vendor.ts'

export type Notice = Pick<VendorNotification, 'bidRequestId' | 'homeId' | 'taskId' | 'date' | 'message'> &
  (
    | { kind: 'advance' | 'reminder'; tasks?: undefined }
    | { kind: 'moved_earlier' | 'postponed'; homeId: string; tasks: VendorNotification['tasks'] }
  )

interface VendorNotice {
  vendor: Vendor
  notice: Notice
}

/** Like sendNotifications, but for one vendor. */
export async function sendNotification(call: WriteCall, vendor: Vendor, notice: Notice): Promise<VendorNotification> {
  const [notification] = await sendNotifications(call, [{ vendor, notice }])
  if (notification === undefined) throw new Error('Expected one notification for the notice.')
  return notification
}

/**
 * Notifies vendors; all notifications are created here. Stores the notifications, records their events after the other
 * events of the same change, and sends emails if the deployment can send email. The events contain the addresses of the
 * recipients. A vendor without an address has no recipients. The caller decides whether to reject such a notification,
 * or to accept it because a subscriber of the event can call the vendor.
 */
export async function sendNotifications(
  call: WriteCall,
  reported: readonly VendorNotice[],
  before: readonly NewEvent[] = [],
): Promise<VendorNotification[]> {
  const sent = await notifications.insertNotifications(
    call,
    reported.map(({ vendor, notice }) => ({
      ...{ tasks: [], ...notice, vendorId: vendor.id, recipients: listRecipients(vendor) },
    })),
  )
  const events = sent.map((notification) => {
    const { kind, homeId } = notification
    return kind === 'advance' || kind === 'reminder' || homeId === null
      ? buildEvent(
          call,
          kind === 'advance' ? 'vendor.notification.advance' : 'vendor.notification.reminder',
          notification,
        )
      : buildEvent(call, `vendor.notification.${kind}`, { ...notification, kind, homeId })
  })
  await recordEvents(call, [...before, ...events])
  if (canSendMail(call))
    await queueMails(
      call,
      await renderNoticeMails(
        call,
        reported.map(({ vendor }) => vendor),
        sent,
      ),
    )
  return sent
}
