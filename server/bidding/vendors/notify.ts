import type { Vendor, VendorNotification } from '../../../client/contract.gen.ts'
import { recordEvent } from '../../events/record.ts'
import type { WriteCall } from '../../http/call.ts'
import * as notifications from './notification-queries.ts'
import { recipientsOf } from './vendor.ts'

export type Notice = Pick<VendorNotification, 'kind' | 'bidRequestId' | 'homeId' | 'date' | 'message'>

/**
 * Notifies a vendor: stores the notification and emits its event with the addresses to send it to. This is the only
 * place that creates a notification, whoever asks for it. A vendor without an address has no recipients; the caller
 * decides whether to refuse that, or to let a subscriber of the event call the vendor instead.
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
