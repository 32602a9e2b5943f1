import type { User } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../http/call.ts'
import { Problem } from '../../http/problem.ts'
import { signedIn } from '../../keys/principals.ts'
import * as users from '../../people/users/queries.ts'
import { assertOtherOwner, isOwner } from '../../people/users/users.ts'

type Standing = Pick<User, 'role' | 'status'>

/**
 * Throws `permission_denied` for an admin who would make, change or disable an owner, because they would be above
 * themselves; and `conflict` if no owner would be left.
 */
export async function assertMayMove(call: WriteCall, before: User | null, after: Standing): Promise<void> {
  const touchesOwner = before?.role === 'owner' || after.role === 'owner'
  if (touchesOwner && (await users.find(call, signedIn(call).id)).role !== 'owner')
    throw new Problem('permission_denied', 'Only an owner makes, changes or disables an owner.')
  if (before !== null && isOwner(before) && !isOwner(after)) {
    await assertOtherOwner(call.db, { organizationId: call.organizationId, id: before.id })
  }
}
