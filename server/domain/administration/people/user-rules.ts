import type { User } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { requireSignedIn } from '../../../platform/keys/principals.ts'
import { Problem } from '../../../platform/problems/problem.ts'
import { formatAmount } from '../../../platform/values/format.ts'
import * as users from '../../office/users/queries.ts'
import { assertOtherOwner, isOwner } from '../../office/users/users.ts'

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
      throw new Problem('permission_denied', 'Only an owner can add, change or disable an owner.')
    assertCanRaiseLimit(call.currency, caller, before, after.poApprovalLimit)
    assertCanGrantPower(caller, before, after)
  }
  if (before !== null && isOwner(before) && !isOwner(after)) {
    await assertOtherOwner(call.db, { organizationId: call.organizationId, id: before.id })
  }
}

function assertCanRaiseLimit(currency: string, caller: User, before: User | null, limit: number | null): void {
  if (!exceedsLimit(limit, before === null ? 0 : before.poApprovalLimit)) return
  if (before?.id === caller.id)
    throw new Problem('permission_denied', 'You cannot raise your own approval limit. Ask an owner.')
  if (caller.poApprovalLimit !== null && exceedsLimit(limit, caller.poApprovalLimit))
    throw new Problem(
      'permission_denied',
      `Your approval limit is ${formatAmount(caller.poApprovalLimit, currency)}. Only an owner can set a higher limit.`,
    )
}

/** Covers role changes and reactivation, because a user keeps their approval limit through both. */
function assertCanGrantPower(caller: User, before: User | null, after: UserPower): void {
  if (before === null || !exceedsLimit(before.poApprovalLimit, caller.poApprovalLimit)) return
  const isEnabled = before.status === 'disabled' && after.status !== 'disabled'
  if (before.role === after.role && !isEnabled) return
  const change = isEnabled ? 'enable this user' : 'change the role of this user'
  throw new Problem('permission_denied', `Cannot ${change}: their approval limit exceeds yours. Ask an owner.`)
}

/** Returns whether the first approval limit is higher. Null means no limit. */
export function exceedsLimit(one: number | null, other: number | null): boolean {
  if (other === null) return false
  return one === null || one > other
}

/**
 * Returns whether a change grants access and so requires a fresh sign-in. Pages send all fields, so unchanged ones do
 * not count.
 */
export function changesPower(before: UserPower, after: UserPower): boolean {
  return before.role !== after.role || before.poApprovalLimit !== after.poApprovalLimit
}
