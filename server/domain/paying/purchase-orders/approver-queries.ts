import type { Approver } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { permissionsOf, ROLES } from '../../../platform/keys/roles.ts'

/** A builder has some dozens of users; whoever asks turns to one or two of them. */
const MOST_APPROVERS = 50

const MAY_WRITE_ORDERS = ROLES.filter((role) => permissionsOf(role).has('pos:write'))

/**
 * The users who can approve an order of this total, those with the smallest sufficient limit first. Their limits are not
 * told, because only administrators read users.
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
