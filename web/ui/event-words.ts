import type { EventType } from '../../client/contract.gen.ts'
import { humanize } from './badge.tsx'

/** The types whose names do not read as a sentence about the record. */
export const EVENT_PHRASES: { readonly [type: string]: string | undefined } = {
  'user.logged_in': 'Signed in',
  'vendor.portal_link_copied': 'Link copied',
  'vendor.notification.advance': 'Advance notice sent',
  'vendor.notification.reminder': 'Reminder sent',
  'vendor.notification.moved_earlier': 'Earlier date sent',
  'vendor.notification.postponed': 'Later date sent',
} satisfies { readonly [type in EventType]?: string }

/** `po.status_changed` as people say it. */
export function eventInWords(type: string): string {
  return EVENT_PHRASES[type] ?? humanize(type.replace(/^po\./, 'order.').replaceAll('.', ' '))
}
