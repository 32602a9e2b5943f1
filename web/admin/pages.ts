/**
 * The first path segments of the pages. The server responds with the pages to these and no others; everything else
 * remains an unknown path. The routes (routes.tsx) must start with one of them.
 */
export const PAGES = [
  'today',
  'bidding',
  'vendors',
  'communities',
  'homes',
  'orders',
  'payments',
  'schedule',
  'sales',
  'catalogue',
  'agents',
  'settings',
  'sign-in',
] as const

export type PageSegment = (typeof PAGES)[number]
