import type { BrowserToken, BrowserTokenCreate, FieldError } from '../../../client/contract.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import { isOrigin } from '../../platform/calls/cors.ts'
import { assertNotBrowserToken, BROWSER_TOKEN_MS, sealBrowserToken } from '../../platform/keys/browser-token.ts'
import { isDelegablePermission } from '../../platform/keys/roles.ts'
import { conflict, validationFailed } from '../../platform/problems/problem.ts'

/** Returns a token for a web page with some of the caller's permissions. It is not stored anywhere. */
export function createBrowserToken(call: Call, { origin, permissions }: BrowserTokenCreate): BrowserToken {
  const { principal, organizationId, now, services } = call
  if (principal.kind !== 'key' || principal.id === null)
    throw conflict('wrong_caller', 'This operation requires an API key. Browser tokens cannot call it.')
  if (principal.isProposeOnly === true)
    throw conflict(
      'wrong_caller',
      'Cannot create a browser token: the key can only propose. Use a key without proposeOnly.',
    )
  assertNotBrowserToken(call)
  const errors: FieldError[] = permissions.flatMap((permission, i) =>
    principal.permissions.has(permission) && isDelegablePermission(permission)
      ? []
      : [
          {
            pointer: `/permissions/${i}`,
            code: 'beyond_key',
            message: `${permission} is not among the permissions that this key can give to a token`,
          },
        ],
  )
  const fault = findOriginError(origin)
  if (fault !== null) errors.push(fault)
  if (errors.length > 0) throw validationFailed(errors)
  const { corsOrigins, encryptionKey } = services.config
  const expires = now.getTime() + BROWSER_TOKEN_MS
  return {
    token: sealBrowserToken(encryptionKey, { organizationId, keyId: principal.id, origin, permissions, expires }),
    origin,
    permissions,
    expiresAt: new Date(expires).toISOString(),
    corsAllowed: corsOrigins.includes('*') || corsOrigins.includes(origin),
  }
}

/** Returns what is wrong with the origin of a page; null if browsers would write it this way. */
export function findOriginError(origin: string): FieldError | null {
  if (isOrigin(origin)) return null
  const message = 'must be an origin, for example https://app.example.com or http://localhost:5173'
  return { pointer: '/origin', code: 'format', message }
}
