/**
 * The first path segments of the pages. The server responds with the pages only to paths that start with these
 * segments. All other paths remain unknown. The routes (routes.tsx) must start with one of these segments.
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
