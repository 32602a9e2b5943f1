import type { Call } from '../../platform/calls/call.ts'

/** Returns how a vendor's submission was made: with the vendor's own portal link or with a copied link. */
export function getPortalSource({ principal }: Pick<Call, 'principal'>): 'portal' | 'portal_copied_link' {
  return principal.copiedBy === undefined ? 'portal' : 'portal_copied_link'
}
