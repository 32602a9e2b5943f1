import type { Vendor, VendorNotification } from '../../../client/contract.gen.ts'
import { recordEvent } from '../../events/record.ts'
import type { WriteCall } from '../../http/call.ts'
import * as notifications from './notification-queries.ts'
import { recipientsOf } from './vendor.ts'

export type Notice = Pick<VendorNotification, 'kind' | 'bidRequestId' | 'homeId' | 'date' | 'message'>

/**
 * Tells a vendor something: the notification is kept, and its event goes out with the addresses to send it to. This is
 * the only place that makes a notification, whoever asks for it. A vendor without an address has no recipients; it is
 * for the caller to refuse that, or to let whoever hears the event call the vendor instead.
 */
export async function sendNotification(call: WriteCall, vendor: Vendor, notice: Notice): Promise<VendorNotification> {
  const { kind, bidRequestId, homeId, date, message } = notice
  const notification = await notifications.insert(call, {
    vendorId: vendor.id,
    kind,
    bidRequestId,
    homeId,
    date,
    message,
    recipients: recipientsOf(vendor),
  })
  await recordEvent(call, `vendor.notification.${kind}`, notification)
  return notification
}
