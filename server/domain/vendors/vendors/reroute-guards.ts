import type { Vendor } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { findVendorsWithLinks } from '../../../platform/keys/portal-links.ts'
import { Problem } from '../../../platform/problems/problem.ts'
import { listRecipients } from './vendor.ts'

type VendorAddresses = Pick<Vendor, 'id' | 'companyName' | 'email' | 'contacts'>

/** A vendor before and after a change of the addresses to which its links are emailed. */
export interface ReroutedVendor {
  before: VendorAddresses
  after: Pick<Vendor, 'email' | 'contacts'>
}

/**
 * Returns the IDs of the vendors whose change is not allowed for this caller, because the change would email their
 * portal links to a new address. If the vendor has ever had a link, the change requires the permission to copy links.
 * Anyone who reads email at the new address could act for the vendor.
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

/** Throws `permission_denied` for the first of these changes that this caller must not make. */
export async function assertCanReroute(call: Call, changes: readonly ReroutedVendor[]): Promise<void> {
  const forbidden = await findForbiddenReroutes(call, changes)
  const found = changes.find(({ before }) => forbidden.has(before.id))
  if (found !== undefined) throw createRerouteProblem(found.before)
}

export function createRerouteProblem({ companyName }: Pick<Vendor, 'companyName'>): Problem {
  return new Problem(
    'permission_denied',
    `Adding an email address to ${companyName} requires portal_links:read, because portal links are sent to the addresses of a vendor. Ask an owner or admin.`,
    { permission: 'portal_links:read' },
  )
}
