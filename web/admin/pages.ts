/**
 * The first path segments of the pages. The server sends the pages only for paths that start with one of these
 * segments; other paths are unknown. Every route in routes.tsx must start with one of them.
 */
export const PAGES = [
  'today',
  'bidding',
  'vendors',
  'communities',
  'homes',
  'orders',
  'payments',
  'accounting',
  'time',
  'messages',
  'schedule',
  'warranty',
  'sales',
  'catalogue',
  'reports',
  'agents',
  'actions',
  'imports',
  'settings',
  'sign-in',
] as const

export type PageSegment = (typeof PAGES)[number]
