import type { Approver } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { permissionsOf, ROLES } from '../../../platform/keys/roles.ts'

/** A builder has a few dozen users, and one or two approvers are enough. */
const MOST_APPROVERS = 50

const MAY_WRITE_ORDERS = ROLES.filter((role) => permissionsOf(role).has('pos:write'))

/**
 * Returns the users who can approve an order of this total, those with the smallest sufficient limit first. Omits their
 * limits, because only administrators may read users.
 */
export function approversOf({ db, organizationId }: Tenant, total: number): Promise<Approver[]> {
  return db
    .selectFrom('users')
    .select(['id as userId', 'name'])
    .where('organizationId', '=', organizationId)
    .where('status', '=', 'active')
    .where('role', 'in', MAY_WRITE_ORDERS)
    .where((eb) => eb.or([eb('poApprovalLimit', 'is', null), eb('poApprovalLimit', '>=', total)]))
    .orderBy('poApprovalLimit', (by) => by.asc().nullsLast())
    .orderBy('id')
    .limit(MOST_APPROVERS)
    .execute()
}
