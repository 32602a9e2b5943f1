import type { BrowserToken, BrowserTokenCreate, FieldError } from '../../../client/contract.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import { isOrigin } from '../../platform/calls/cors.ts'
import { assertNotBrowserToken, BROWSER_TOKEN_MS, sealBrowserToken } from '../../platform/keys/browser-token.ts'
import { isDelegablePermission } from '../../platform/keys/roles.ts'
import { conflict, validationFailed } from '../../platform/problems/problem.ts'

/** Returns a token for a web page, with some of the caller's permissions. The token is not stored. */
export function createBrowserToken(call: Call, { origin, permissions }: BrowserTokenCreate): BrowserToken {
  const { principal, organizationId, now, services } = call
  if (principal.kind !== 'key' || principal.id === null)
    throw conflict('wrong_caller', 'This operation requires an API key. A browser token cannot call it.')
  if (principal.isProposeOnly === true)
    throw conflict(
      'wrong_caller',
      'Cannot create a browser token: the key can only make proposals. Use a key without proposeOnly.',
    )
  assertNotBrowserToken(call)
  const errors: FieldError[] = permissions.flatMap((permission, i) =>
    principal.permissions.has(permission) && isDelegablePermission(permission)
      ? []
      : [
          {
            pointer: `/permissions/${i}`,
            code: 'beyond_key',
            message: `must be a permission that this key can grant to a token; ${permission} is not`,
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

/** Returns an error if browsers write the origin in another form; otherwise null. */
export function findOriginError(origin: string): FieldError | null {
  if (isOrigin(origin)) return null
  const message = 'must be an origin, for example https://app.example.com or http://localhost:5173'
  return { pointer: '/origin', code: 'format', message }
}
