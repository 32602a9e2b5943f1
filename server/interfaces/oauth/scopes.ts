import type { Permission } from '../../../client/contract.gen.ts'
import { ALL_PERMISSIONS, isDelegablePermission } from '../../platform/keys/roles.ts'

/**
 * The scopes in the metadata. Apps request all of them, and users choose individual permissions on the consent page.
 * The name of each permission is also a scope, for apps that need only certain permissions.
 */
export const SCOPES = ['read', 'write'] as const

/** The permissions that can be granted to an app. */
const GRANTABLE = ALL_PERMISSIONS.filter(isDelegablePermission)
const KNOWN: ReadonlySet<string> = new Set(GRANTABLE)

/**
 * Returns the permissions in the given scopes, or all permissions if no scope is given. Ignores unknown scopes, as the
 * standard requires. Returns null if no permission remains.
 */
export function listPermissionsForScope(scope: string | null): readonly Permission[] | null {
  const requested = (scope ?? '').split(' ').filter((each) => each !== '')
  if (requested.length === 0) return GRANTABLE
  const known = requested.filter((each) => KNOWN.has(each) || SCOPES.some((one) => one === each))
  if (known.length === 0) return null
  return GRANTABLE.filter((permission) => known.some((each) => each === permission || permission.endsWith(`:${each}`)))
}

/**
 * Returns the granted permissions that a scope includes. `read` and `write` include every granted permission of that
 * kind. Returns null if the scope includes a permission that was not granted.
 */
export function narrowPermissions(scope: string, granted: readonly string[]): readonly string[] | null {
  const named = scope.split(' ').filter((each) => each !== '')
  if (named.length === 0) return granted
  const covers = (each: string, permission: string) => permission === each || permission.endsWith(`:${each}`)
  if (!named.every((each) => granted.some((permission) => covers(each, permission)))) return null
  return granted.filter((permission) => named.some((each) => covers(each, permission)))
}
