import type { HeldPermission } from '../../client/contract.gen.ts'
import type { IconName } from '../ui/icons.ts'

export interface Destination {
  to: string
  name: string
  icon: IconName
  /** The permission that the page needs. Without it, the page would be empty, so its link is hidden. */
  needs?: HeldPermission
  /** The second key of the shortcut, after `g`. */
  key?: string
}

/** The pages in the sidebar, in order. */
export const DESTINATIONS: readonly Destination[] = [
  { to: '/today', name: 'Today', icon: 'today', key: 't' },
  { to: '/bidding', name: 'Bidding', icon: 'bids', needs: 'bids:read', key: 'b' },
  { to: '/vendors', name: 'Vendors', icon: 'vendors', needs: 'vendors:read', key: 'v' },
  { to: '/homes', name: 'Homes', icon: 'homes', needs: 'homes:read', key: 'h' },
  { to: '/orders', name: 'Orders', icon: 'orders', needs: 'pos:read', key: 'o' },
  { to: '/payments', name: 'Payments', icon: 'payments', needs: 'payments:read', key: 'p' },
  { to: '/accounting', name: 'Accounting', icon: 'org', needs: 'payments:read', key: 'j' },
  { to: '/schedule', name: 'Schedule', icon: 'schedule', needs: 'tasks:read', key: 's' },
  { to: '/time', name: 'Time', icon: 'clock', needs: 'timesheets:read', key: 'i' },
  { to: '/messages', name: 'Messages', icon: 'mail', needs: 'messages:read', key: 'm' },
  { to: '/warranty', name: 'Warranty', icon: 'homes', needs: 'warranty:read', key: 'w' },
  { to: '/sales', name: 'Sales', icon: 'sales', needs: 'leads:read', key: 'l' },
  { to: '/catalogue', name: 'Catalog', icon: 'catalogue', needs: 'options:read', key: 'c' },
  { to: '/reports', name: 'Reports', icon: 'usage', key: 'r' },
  { to: '/actions', name: 'Actions', icon: 'menu', key: 'x' },
  { to: '/agents/proposals', name: 'Agents', icon: 'agent', needs: 'proposals:read', key: 'a' },
]

export const SETTINGS_DESTINATIONS: readonly Destination[] = [
  { to: '/settings/keys', name: 'API keys', icon: 'key', needs: 'keys:read', key: 'k' },
  { to: '/settings/apps', name: 'Connected apps', icon: 'swap' },
  { to: '/settings/webhooks', name: 'Webhooks', icon: 'webhook', needs: 'webhooks:read' },
  { to: '/settings/people', name: 'Users and roles', icon: 'users', needs: 'users:read' },
  { to: '/settings/organization', name: 'Organization', icon: 'org', needs: 'settings:read' },
  { to: '/imports', name: 'Imports', icon: 'upload' },
  { to: '/settings/usage', name: 'Usage', icon: 'usage', needs: 'keys:read' },
  { to: '/settings/events', name: 'Events', icon: 'events', needs: 'events:read' },
  { to: '/settings/runs', name: 'Skill runs', icon: 'agent', needs: 'events:read' },
  { to: '/settings/audit', name: 'Audit', icon: 'audit', needs: 'events:read' },
]

/** The five most used pages. The navigation on phones contains them and a button for all other pages. */
export const PHONE_DESTINATIONS: readonly string[] = ['/today', '/bidding', '/homes', '/orders', '/schedule']
