import type { Permission } from '../../../client/contract.gen.ts'
import { ALL_PERMISSIONS, isDelegablePermission } from '../../platform/keys/roles.ts'

/**
 * The advertised scopes. Apps request all scopes that are advertised, and users make the finer choice on the page. The
 * name of each permission is a scope too, for an app that knows what it needs.
 */
export const SCOPES = ['read', 'write'] as const

/** The permissions that can be granted to an app. */
const GRANTABLE = ALL_PERMISSIONS.filter(isDelegablePermission)
const KNOWN: ReadonlySet<string> = new Set(GRANTABLE)

/**
 * Returns the permissions of these scopes, or all permissions if no scope is given. Unknown scopes are ignored, as the
 * standard says. Null if nothing is left.
 */
export function permissionsForScope(scope: string | null): readonly Permission[] | null {
  const requested = (scope ?? '').split(' ').filter((each) => each !== '')
  if (requested.length === 0) return GRANTABLE
  const known = requested.filter((each) => KNOWN.has(each) || SCOPES.some((one) => one === each))
  if (known.length === 0) return null
  return GRANTABLE.filter((permission) => known.some((each) => each === permission || permission.endsWith(`:${each}`)))
}

/**
 * Returns the granted permissions that a scope names. `read` and `write` name every permission of their kind. Null if
 * the scope names a permission that was not granted.
 */
export function narrowPermissions(scope: string, granted: readonly string[]): readonly string[] | null {
  const named = scope.split(' ').filter((each) => each !== '')
  if (named.length === 0) return granted
  const covers = (each: string, permission: string) => permission === each || permission.endsWith(`:${each}`)
  if (!named.every((each) => granted.some((permission) => covers(each, permission)))) return null
  return granted.filter((permission) => named.some((each) => covers(each, permission)))
}
