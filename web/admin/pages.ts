/**
 * The first segments of the pages' addresses. The server answers these, and no others, with the pages; what is not here
 * stays an unknown path. The routes (routes.tsx) have to begin with one of them.
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
