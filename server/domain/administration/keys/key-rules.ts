import type { ApiKey, Permission } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { isAddressOrRange } from '../../../platform/keys/allowed-addresses.ts'
import { requireSignedIn } from '../../../platform/keys/principals.ts'
import { isDelegablePermission } from '../../../platform/keys/roles.ts'
import { conflict, Problem, validationFailed } from '../../../platform/problems/problem.ts'
import { formatTimestamp } from '../../../platform/values/format.ts'
import * as users from '../../office/users/queries.ts'
import { isHigherLimit } from '../people/user-rules.ts'

/** Throws `validation_failed` if no key of this user can have these values. */
export function assertKeyAllowed(
  { permissions: held, now }: Call,
  requested: {
    permissions?: readonly Permission[]
    proposeOnly?: boolean
    expiresAt?: string | null | undefined
    allowedAddresses?: readonly string[] | null | undefined
  },
): void {
  const { permissions = [], proposeOnly = false, expiresAt, allowedAddresses } = requested
  const errors = [
    ...permissions.flatMap((permission, i) =>
      held.has(permission)
        ? []
        : [{ pointer: `/permissions/${i}`, code: 'beyond_role', message: 'must be included in your role' }],
    ),
    ...permissions.flatMap((permission, i) =>
      proposeOnly && !isDelegablePermission(permission)
        ? [
            {
              pointer: `/permissions/${i}`,
              code: 'not_for_proposals',
              message: 'cannot be combined with proposeOnly',
            },
          ]
        : [],
    ),
    ...(allowedAddresses ?? []).flatMap((address, i) =>
      isAddressOrRange(address)
        ? []
        : [
            {
              pointer: `/allowedAddresses/${i}`,
              code: 'format',
              message: 'must be an IP address or a range, for example 203.0.113.7 or 10.0.0.0/8',
            },
          ],
    ),
    ...(expiresAt != null && Date.parse(expiresAt) <= now.getTime()
      ? [{ pointer: '/expiresAt', code: 'past', message: 'must not be in the past' }]
      : []),
  ]
  if (errors.length > 0) throw validationFailed(errors)
}

/**
 * Throws `permission_denied` if the key acts for a user who is an owner, has a higher approval limit, or has
 * permissions that the caller lacks. With the secret of the key, the caller would gain the power of that user.
 */
export async function assertCanManageKey(call: WriteCall, { createdByUserId, permissions }: ApiKey): Promise<void> {
  const { id } = requireSignedIn(call)
  if (createdByUserId === id) return
  const [caller, user] = [await users.find(call, id), await users.find(call, createdByUserId)]
  if (caller.role === 'owner') return
  const isCovered =
    user.role !== 'owner' &&
    !isHigherLimit(user.poApprovalLimit, caller.poApprovalLimit) &&
    permissions.every((permission) => call.permissions.has(permission))
  if (!isCovered)
    throw new Problem(
      'permission_denied',
      `Cannot manage the API key: it acts for ${user.name}, who has more permissions than you. Ask an owner or ${user.name}.`,
    )
}

/** Throws `conflict` if the key is revoked. A revoked key cannot be restored. */
export function assertKeyNotRevoked({ revokedAt }: ApiKey): void {
  if (revokedAt !== null)
    throw conflict('key_revoked', `The API key was revoked on ${formatTimestamp(revokedAt, 'UTC')}. Create a new key.`)
}

/** Throws `conflict` if the key is revoked or expired. */
export function assertKeyActive(key: ApiKey, now: Date): void {
  assertKeyNotRevoked(key)
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now.getTime())
    throw conflict(
      'key_expired',
      `The API key expired on ${formatTimestamp(key.expiresAt, 'UTC')}. Set a later expiresAt first, or create a new key.`,
    )
}
