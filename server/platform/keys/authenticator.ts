import type { IncomingHttpHeaders } from 'node:http'
import type { Principal } from '../calls/call.ts'
import { type Contract, ContractError, type Operation } from '../calls/contract.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Identity } from './identity.ts'
import { createKeyAuthenticator } from './key-authenticator.ts'
import { createOauthAuthenticator } from './oauth-authenticator.ts'
import { createPortalAuthenticator } from './portal-authenticator.ts'
import { toVisitorPrincipal } from './principals.ts'
import { assertSameOrigin } from './same-origin.ts'
import { createSessionAuthenticator } from './session-authenticator.ts'
import { readSessionCookie } from './session-cookie.ts'

/**
 * Finds the caller of a request from its headers. Each authenticator implements one security scheme of the contract.
 */
export interface Authenticator {
  /** Returns whether the request has a credential of this scheme, which may be invalid. */
  isAddressed(headers: IncomingHttpHeaders): boolean
  /**
   * Returns the caller of a request with these headers and this client address. Throws a problem with status 401,
   * `address_not_allowed`, `tier_required`, or `too_many_attempts`.
   */
  authenticate(headers: IncomingHttpHeaders, address: string): Promise<Principal>
  /**
   * Whether browsers send the credential automatically with requests from all pages. If so, changes are accepted only
   * from pages of this service.
   */
  readonly isAmbient?: true
}

export interface AuthenticatorParts {
  database: Database
  clock: Clock
  config: Config
  identity: Identity
}

/**
 * Returns a function that finds the caller of an operation. Each security scheme of the operation has one or more
 * authenticators. Startup fails if a scheme of the contract has no authenticator, because its operations would be open
 * either to nobody or to everyone. Operations without a scheme are for signing in. Their caller is a visitor.
 */
export function createAuthenticator(
  contract: Contract,
  parts: AuthenticatorParts,
): (operation: Operation, headers: IncomingHttpHeaders, address: string) => Promise<Principal> {
  const known: Record<string, readonly Authenticator[]> = {
    // Apps send an access token instead of an API key.
    apiKey: [createKeyAuthenticator(parts), createOauthAuthenticator(parts)],
    portalToken: [createPortalAuthenticator(parts)],
    session: [createSessionAuthenticator(parts)],
  }
  const waysInto = new Map<Operation, readonly Authenticator[]>()
  for (const operation of contract.operations.values()) {
    const ways = [...operation.schemes.keys()].flatMap((scheme) => {
      const found = known[scheme]
      if (found === undefined)
        throw new ContractError(`Expected an authenticator for the scheme ${scheme} of ${operation.id}.`)
      return found
    })
    waysInto.set(operation, ways)
  }
  const { publicUrl } = parts.config
  return async (operation, headers, address) => {
    const ways = waysInto.get(operation)
    if (ways === undefined) throw new ContractError(`Expected ${operation.id} to be an operation of this contract.`)
    // A request without credentials receives the error of the first scheme.
    const way = selectAuthenticator(ways, headers) ?? ways[0]
    if (operation.method !== 'GET' && (way === undefined || way.isAmbient)) assertSameOrigin(headers, publicUrl)
    return way === undefined
      ? toVisitorPrincipal(address, readSessionCookie(headers.cookie, publicUrl))
      : way.authenticate(headers, address)
  }
}

// Uses a loop, because a function call with a closure would be slower for thousands of requests per second.
function selectAuthenticator(ways: readonly Authenticator[], headers: IncomingHttpHeaders): Authenticator | undefined {
  for (const way of ways) if (way.isAddressed(headers)) return way
  return undefined
}
