import type { Call } from '../../platform/calls/call.ts'

/** How what a vendor hands in here came in: through its own portal link, or through one that somebody copied. */
export function portalSource({ principal }: Pick<Call, 'principal'>): 'portal' | 'portal_copied_link' {
  return principal.copiedBy === undefined ? 'portal' : 'portal_copied_link'
}
