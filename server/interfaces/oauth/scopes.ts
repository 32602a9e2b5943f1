import type { Permission } from '../../../client/contract.gen.ts'
import { ALL_PERMISSIONS, isDelegable } from '../../platform/keys/roles.ts'

/**
 * The scopes that are advertised. Apps ask for all that they are told of, and people choose the rest on the page. Each
 * permission by its own name is a scope too, for an app that knows what it needs.
 */
export const SCOPES = ['read', 'write'] as const

/** The permissions that an app can be granted. */
const GRANTABLE = ALL_PERMISSIONS.filter(isDelegable)
const KNOWN: ReadonlySet<string> = new Set(GRANTABLE)

/**
 * The permissions that these scopes stand for; of no scope, all of them. Scopes that are not ours are passed over, as
 * the standard has it. Null if nothing is left.
 */
export function permissionsFor(scope: string | null): readonly Permission[] | null {
  const asked = (scope ?? '').split(' ').filter((each) => each !== '')
  if (asked.length === 0) return GRANTABLE
  const known = asked.filter((each) => KNOWN.has(each) || SCOPES.some((one) => one === each))
  if (known.length === 0) return null
  return GRANTABLE.filter((permission) => known.some((each) => each === permission || permission.endsWith(`:${each}`)))
}

/**
 * The granted permissions that a scope names; `read` and `write` name every permission of their kind. Without a scope,
 * all of them. Null if the scope names a permission that was not granted.
 */
export function narrowTo(scope: string, granted: readonly string[]): readonly string[] | null {
  const named = scope.split(' ').filter((each) => each !== '')
  if (named.length === 0) return granted
  const covers = (each: string, permission: string) => permission === each || permission.endsWith(`:${each}`)
  if (!named.every((each) => granted.some((permission) => covers(each, permission)))) return null
  return granted.filter((permission) => named.some((each) => covers(each, permission)))
}
