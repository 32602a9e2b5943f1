import type { Call } from '../../platform/calls/call.ts'

/** Returns the source of a vendor's submission: the vendor's own portal link or a copied link. */
export function getPortalSource({ principal }: Pick<Call, 'principal'>): 'portal' | 'portal_copied_link' {
  return principal.copiedBy === undefined ? 'portal' : 'portal_copied_link'
}
