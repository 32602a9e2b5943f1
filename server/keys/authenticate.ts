import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import type { Principal } from '../http/call.ts'
import { type Contract, ContractError, type Operation } from '../http/contract.ts'
import { keyAuthenticator } from './key-authenticator.ts'
import { portalAuthenticator } from './portal-authenticator.ts'

/** What finds the caller behind the headers of a request, for one security scheme of the contract. */
export interface Authenticator {
  /** Whether the request brings something that is meant for this scheme, be it right or wrong. */
  isAddressed(headers: IncomingHttpHeaders): boolean
  /**
   * The caller at this address; throws one of the problems of status 401, `address_not_allowed`, `tier_required`, or
   * `too_many_attempts`.
   */
  authenticate(headers: IncomingHttpHeaders, address: string): Promise<Principal>
}

export interface AuthenticatorParts {
  database: Database
  clock: Clock
  config: Config
}

/**
 * Finds the caller of an operation by the schemes that it is open to. There is one authenticator for each scheme, and a
 * contract that names a scheme without one does not start, because its operations would be open to nobody or to all.
 */
export function authenticator(
  contract: Contract,
  parts: AuthenticatorParts,
): (operation: Operation, headers: IncomingHttpHeaders, address: string) => Promise<Principal> {
  const known: Record<string, Authenticator> = {
    apiKey: keyAuthenticator(parts),
    portalToken: portalAuthenticator(parts),
  }
  const waysInto = new Map<Operation, readonly [Authenticator, ...Authenticator[]]>()
  for (const operation of contract.operations.values()) {
    const [first, ...others] = [...operation.schemes.keys()].map((scheme) => {
      const found = known[scheme]
      if (found === undefined)
        throw new ContractError(`${operation.id} asks for the scheme ${scheme}, which nothing here authenticates.`)
      return found
    })
    if (first !== undefined) waysInto.set(operation, [first, ...others])
  }
  return (operation, headers, address) => {
    const ways = waysInto.get(operation)
    if (ways === undefined) throw new ContractError(`${operation.id} is not an operation of this contract.`)
    // Whoever brings nothing is told what the first of the schemes asks for.
    const way = ways.length === 1 ? ways[0] : (ways.find((each) => each.isAddressed(headers)) ?? ways[0])
    return way.authenticate(headers, address)
  }
}
