import type { BrowserToken, BrowserTokenCreate, FieldError } from '../../client/contract.gen.ts'
import type { Call } from '../http/call.ts'
import { isOrigin } from '../http/cors.ts'
import { conflict, invalid } from '../http/problem.ts'
import { BROWSER_TOKEN_MS, sealBrowserToken } from '../keys/browser-token.ts'

/** A token for a page, which says what it may do, and is kept nowhere. */
export function browserToken(call: Call, { origin, permissions }: BrowserTokenCreate): BrowserToken {
  const { principal, organizationId, now, surroundings } = call
  if (principal.kind !== 'key' || principal.id === null)
    throw conflict('wrong_caller', 'A browser token does part of what an API key may do; call this with a key.')
  if (principal.isInBrowser)
    throw conflict('wrong_caller', 'A browser token makes no other token; have your server make it, with the key.')
  const faults: FieldError[] = permissions.flatMap((permission, i) =>
    principal.permissions.has(permission)
      ? []
      : [{ pointer: `/permissions/${i}`, code: 'beyond_key', message: `${permission} is nothing that the key may do` }],
  )
  if (!isOrigin(origin)) {
    const message = 'must be an origin as browsers write it, like https://app.example.com or http://localhost:5173'
    faults.push({ pointer: '/origin', code: 'format', message })
  }
  if (faults.length > 0) throw invalid(faults)
  const { corsOrigins, encryptionKey } = surroundings.config
  const expires = now.getTime() + BROWSER_TOKEN_MS
  return {
    token: sealBrowserToken(encryptionKey, { organizationId, keyId: principal.id, origin, permissions, expires }),
    origin,
    permissions,
    expiresAt: new Date(expires).toISOString(),
    corsAllowed: corsOrigins.includes('*') || corsOrigins.includes(origin),
  }
}
