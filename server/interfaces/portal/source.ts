import type { Call } from '../../platform/calls/call.ts'

/** Returns how a vendor's submission arrived: through its own portal link or a copied one. */
export function portalSource({ principal }: Pick<Call, 'principal'>): 'portal' | 'portal_copied_link' {
  return principal.copiedBy === undefined ? 'portal' : 'portal_copied_link'
}
