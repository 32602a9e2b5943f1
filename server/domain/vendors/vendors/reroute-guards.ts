import type { Vendor } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { findVendorsWithLinks } from '../../../platform/keys/portal-links.ts'
import { Problem } from '../../../platform/problems/problem.ts'
import { listRecipients } from './vendor.ts'

type VendorAddresses = Pick<Vendor, 'id' | 'companyName' | 'email' | 'contacts'>

/** A vendor before and after a change of the addresses that receive its links. */
export interface ReroutedVendor {
  before: VendorAddresses
  after: Pick<Vendor, 'email' | 'contacts'>
}

/**
 * Returns the IDs of the vendors that the caller must not change, because their portal links would then be emailed to a
 * new address. If the vendor has ever had a link, such a change requires the permission to copy links, because anyone
 * who reads email at the new address could act for the vendor.
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

/** Throws `permission_denied` if the caller must not make one of these changes. */
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
