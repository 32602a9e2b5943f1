import type { EventType } from '../../client/contract.gen.ts'
import { humanizeName } from './humanize-name.ts'

/** Phrases for event types whose names do not read as a sentence about the record. */
export const EVENT_PHRASES: { readonly [type: string]: string | undefined } = {
  'user.logged_in': 'Signed in',
  'vendor.portal_link_copied': 'Portal link copied',
  'vendor.notification.advance': 'Advance notice sent',
  'vendor.notification.reminder': 'Reminder sent',
  'vendor.notification.moved_earlier': 'Notice of earlier date sent',
  'vendor.notification.postponed': 'Notice of later date sent',
} satisfies { readonly [type in EventType]?: string }

/** Converts an event type such as `po.status_changed` to everyday words. */
export function describeEventType(type: string): string {
  return EVENT_PHRASES[type] ?? humanizeName(type.replace(/^po\./, 'order.').replaceAll('.', ' '))
}
