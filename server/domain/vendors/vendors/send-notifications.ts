import type { Vendor, VendorNotification } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { buildEvent, type NewEvent, recordEvents } from '../../../platform/events/record-event.ts'
import { canSendMail, queueLetters } from '../../office/mail/queue-letters.ts'
import { writeLetters } from './notice-letters.ts'
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

/** Does the same for one vendor. */
export async function sendNotification(call: WriteCall, vendor: Vendor, notice: Notice): Promise<VendorNotification> {
  const [notification] = await sendNotifications(call, [{ vendor, notice }])
  if (notification === undefined) throw new Error('Expected one notification for the notice.')
  return notification
}

/**
 * Notifies vendors: stores the notifications, records their events with the recipients' addresses after other events of
 * the same change, and mails them if the deployment sends mail. All notifications are created here. A vendor without an
 * address has no recipients; the caller decides whether to reject that, or to let an event subscriber call the vendor
 * instead.
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
    await queueLetters(
      call,
      await writeLetters(
        call,
        reported.map(({ vendor }) => vendor),
        sent,
      ),
    )
  return sent
}
