import type { ApiKey, Permission } from '../../../client/contract.gen.ts'
import type { Call } from '../../http/call.ts'
import { conflict, invalid } from '../../http/problem.ts'
import { isAllowable } from '../../keys/allowed-addresses.ts'

/** Throws `validation_failed` for what no key of this user could have. */
export function assertPossible(
  { permissions: held, now }: Call,
  wanted: {
    permissions?: readonly Permission[]
    expiresAt?: string | null | undefined
    allowedAddresses?: readonly string[] | null | undefined
  },
): void {
  const { permissions = [], expiresAt, allowedAddresses } = wanted
  const faults = [
    ...permissions.flatMap((permission, i) =>
      held.has(permission)
        ? []
        : [{ pointer: `/permissions/${i}`, code: 'beyond_role', message: `is not covered by your role` }],
    ),
    ...(allowedAddresses ?? []).flatMap((address, i) =>
      isAllowable(address)
        ? []
        : [
            {
              pointer: `/allowedAddresses/${i}`,
              code: 'format',
              message: 'must be an address like 203.0.113.7 or a range like 10.0.0.0/8',
            },
          ],
    ),
    ...(expiresAt != null && Date.parse(expiresAt) <= now.getTime()
      ? [{ pointer: '/expiresAt', code: 'past', message: 'lies in the past' }]
      : []),
  ]
  if (faults.length > 0) throw invalid(faults)
}

/** Throws `conflict` for a key that was revoked, which stays so. */
export function assertNotRevoked({ revokedAt }: ApiKey): void {
  if (revokedAt !== null) throw conflict('key_revoked', `The key was revoked at ${revokedAt}. Create another one.`)
}

/** Throws `conflict` for a key that has ended in whichever way. */
export function assertInUse(key: ApiKey, now: Date): void {
  assertNotRevoked(key)
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now.getTime())
    throw conflict(
      'key_expired',
      `The key expired at ${key.expiresAt}. Give it a new end first, or create another one.`,
    )
}
