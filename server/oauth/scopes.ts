import type { Permission } from '../../client/contract.gen.ts'
import { ALL_PERMISSIONS } from '../keys/roles.ts'

/**
 * The scopes that are advertised. Apps ask for all that they are told of, and people choose the rest on the page. Each
 * permission by its own name is a scope too, for an app that knows what it needs.
 */
export const SCOPES = ['read', 'write'] as const

const KNOWN: ReadonlySet<string> = new Set(ALL_PERMISSIONS)

/**
 * The permissions that these scopes stand for; of no scope, all of them. Scopes that are not ours are passed over, as
 * the standard has it. Null if nothing is left.
 */
export function permissionsFor(scope: string | null): readonly Permission[] | null {
  const asked = (scope ?? '').split(' ').filter((each) => each !== '')
  if (asked.length === 0) return ALL_PERMISSIONS
  const known = asked.filter((each) => KNOWN.has(each) || SCOPES.some((one) => one === each))
  if (known.length === 0) return null
  return ALL_PERMISSIONS.filter((permission) =>
    known.some((each) => each === permission || permission.endsWith(`:${each}`)),
  )
}

/** Whether the scopes ask for no more than what was granted: `read` is all reading that there is among it. */
export function isWithin(scope: string, granted: readonly string[]): boolean {
  return scope
    .split(' ')
    .filter((each) => each !== '')
    .every((each) => granted.some((permission) => permission === each || permission.endsWith(`:${each}`)))
}
