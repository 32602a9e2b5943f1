import type { HomeOwner } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { hasEverHadLink } from '../../../platform/keys/owner-links.ts'
import { Problem } from '../../../platform/problems/problem.ts'
import { isEmailApproved } from './queries.ts'

/**
 * The permission for changes that would email a link to an address that the caller has chosen. It is the permission to
 * copy links, because anyone who reads email at that address can sign as the owner.
 */
const PERMISSION = 'portal_links:read'

/**
 * Throws `permission_denied` if the owner has ever had a link and the caller must not change the owner's email address.
 */
export async function assertCanReroute(call: WriteCall, { id, name }: HomeOwner, email: string | null): Promise<void> {
  if (email === null || call.permissions.has(PERMISSION) || !(await hasEverHadLink(call, id))) return
  throw new Problem(
    'permission_denied',
    `Changing the email address of ${name} requires ${PERMISSION}, because links are emailed to the address and ${name} has already had a link. Ask an owner or admin.`,
    { permission: PERMISSION },
  )
}

/**
 * Throws `permission_denied` if the caller must not email a link to the owner's address. Two kinds of addresses are
 * approved: the addresses of buyers at the approval of the sale, and addresses to which a caller with the permission
 * has emailed a link. The addresses of later buyers are not approved, because anyone who can edit sales can add buyers.
 */
export async function assertCanMailLink(call: WriteCall, { id, name }: HomeOwner): Promise<void> {
  if (canApproveEmail(call) || (await isEmailApproved(call, id))) return
  throw new Problem(
    'permission_denied',
    `Emailing a link to ${name} requires ${PERMISSION}, because the email address was not that of a buyer when the sale was approved. Ask an owner or admin.`,
    { permission: PERMISSION },
  )
}

export function canApproveEmail({ permissions }: WriteCall): boolean {
  return permissions.has(PERMISSION)
}
