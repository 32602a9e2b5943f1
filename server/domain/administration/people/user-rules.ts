import type { User } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { requireSignedIn } from '../../../platform/keys/principals.ts'
import { Problem } from '../../../platform/problems/problem.ts'
import { formatAmount } from '../../../platform/values/format.ts'
import * as users from '../../office/users/queries.ts'
import { assertOtherOwnerExists, isActiveOwner } from '../../office/users/users.ts'

type UserPower = Pick<User, 'role' | 'status' | 'poApprovalLimit'>

/**
 * Throws `permission_denied` for an admin who would gain or give more power than their own. An admin cannot:
 * - create, change, or deactivate an owner,
 * - raise their own approval limit,
 * - give a user a higher limit than their own,
 * - give a new role or access to a user who has a higher limit.
 *
 * Throws `conflict` if no owner would be left.
 */
export async function assertCanChangeUser(call: WriteCall, before: User | null, after: UserPower): Promise<void> {
  const caller = await users.find(call, requireSignedIn(call).id)
  if (caller.role !== 'owner') {
    if (before?.role === 'owner' || after.role === 'owner')
      throw new Problem('permission_denied', 'Only an owner can add, change, or deactivate an owner.')
    assertCanRaiseLimit(call.currency, caller, before, after.poApprovalLimit)
    assertCanGrantPower(caller, before, after)
  }
  if (before !== null && isActiveOwner(before) && !isActiveOwner(after)) {
    await assertOtherOwnerExists(call.db, { organizationId: call.organizationId, id: before.id })
  }
}

function assertCanRaiseLimit(currency: string, caller: User, before: User | null, limit: number | null): void {
  if (!isHigherLimit(limit, before === null ? 0 : before.poApprovalLimit)) return
  if (before?.id === caller.id)
    throw new Problem('permission_denied', 'You cannot raise your own approval limit. Ask an owner.')
  if (caller.poApprovalLimit !== null && isHigherLimit(limit, caller.poApprovalLimit))
    throw new Problem(
      'permission_denied',
      `Your approval limit is ${formatAmount(caller.poApprovalLimit, currency)}. Only an owner can set a higher limit.`,
    )
}

/**
 * A user keeps the approval limit when the role changes or access is restored, so these changes are checked as well.
 */
function assertCanGrantPower(caller: User, before: User | null, after: UserPower): void {
  if (before === null || !isHigherLimit(before.poApprovalLimit, caller.poApprovalLimit)) return
  const isEnabled = before.status === 'disabled' && after.status !== 'disabled'
  if (before.role === after.role && !isEnabled) return
  throw new Problem(
    'permission_denied',
    isEnabled
      ? "Cannot reactivate this user: the user's approval limit exceeds yours. Ask an owner."
      : "Cannot change the role of this user: the user's approval limit exceeds yours. Ask an owner.",
  )
}

/** Returns whether the first approval limit is higher than the second. Null means no limit. */
export function isHigherLimit(one: number | null, other: number | null): boolean {
  if (other === null) return false
  return one === null || one > other
}

/**
 * Returns whether a change affects the role or the approval limit of the user and therefore requires a fresh sign-in.
 * The admin area sends all fields, so fields with the same value do not count.
 */
export function isPowerChange(before: UserPower, after: UserPower): boolean {
  return before.role !== after.role || before.poApprovalLimit !== after.poApprovalLimit
}
