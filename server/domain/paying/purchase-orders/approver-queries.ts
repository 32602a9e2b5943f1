import type { Approver } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { getRolePermissions, ROLES } from '../../../platform/keys/roles.ts'

/** A builder has a few dozen users, and an order needs only one or two approvers. */
const MAX_APPROVERS = 50

const ROLES_WRITING_ORDERS = ROLES.filter((role) => getRolePermissions(role).has('pos:write'))

/**
 * Returns the users who can approve an order with the given total, starting with the lowest sufficient limit. Does not
 * return the limits, because only administrators may read other users.
 */
export function findApprovers({ db, organizationId }: Tenant, total: number): Promise<Approver[]> {
  return db
    .selectFrom('users')
    .select(['id as userId', 'name'])
    .where('organizationId', '=', organizationId)
    .where('status', '=', 'active')
    .where('role', 'in', ROLES_WRITING_ORDERS)
    .where((eb) => eb.or([eb('poApprovalLimit', 'is', null), eb('poApprovalLimit', '>=', total)]))
    .orderBy('poApprovalLimit', (by) => by.asc().nullsLast())
    .orderBy('id')
    .limit(MAX_APPROVERS)
    .execute()
}
