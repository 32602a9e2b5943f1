import type { Vendor } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { findVendorsWithLinks } from '../../../platform/keys/portal-links.ts'
import { Problem } from '../../../platform/problems/problem.ts'
import { listRecipients } from './vendor.ts'

type VendorAddresses = Pick<Vendor, 'id' | 'companyName' | 'email' | 'contacts'>

/** A vendor before and after a change of the addresses that its links are mailed to. */
export interface ReroutedVendor {
  before: VendorAddresses
  after: Pick<Vendor, 'email' | 'contacts'>
}

/**
 * Returns the IDs of the vendors whose change is not allowed for this caller: those whose portal links would be mailed
 * to a new address. Anybody who reads mail there could act for the vendor, so the change requires the permission to
 * copy links, once the vendor has had a link.
 */
export async function findForbiddenReroutes(
  call: Call,
  changes: readonly ReroutedVendor[],
): Promise<ReadonlySet<string>> {
  if (call.permissions.has('portal_links:read')) return new Set()
  const rerouted = changes.filter(({ before, after }) => {
    const known = listRecipients(before)
    return listRecipients(after).some((address) => !known.includes(address))
  })
  if (rerouted.length === 0) return new Set()
  return findVendorsWithLinks(
    call,
    rerouted.map(({ before }) => before.id),
  )
}

/** Throws `permission_denied` for the first of these changes that the caller must not make. */
export async function assertCanReroute(call: Call, changes: readonly ReroutedVendor[]): Promise<void> {
  const forbidden = await findForbiddenReroutes(call, changes)
  const found = changes.find(({ before }) => forbidden.has(before.id))
  if (found !== undefined) throw rerouteDeniedProblem(found.before)
}

export function rerouteDeniedProblem({ companyName }: Pick<Vendor, 'companyName'>): Problem {
  return new Problem(
    'permission_denied',
    `Adding an email address to ${companyName} requires portal_links:read because its portal links are mailed there. Ask an owner or admin.`,
    { permission: 'portal_links:read' },
  )
}
