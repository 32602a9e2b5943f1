import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import type { Principal } from '../http/call.ts'
import { type Contract, ContractError, type Operation } from '../http/contract.ts'
import { keyAuthenticator } from './key-authenticator.ts'
import { portalAuthenticator } from './portal-authenticator.ts'

/** Finds the caller from a request's headers, for one security scheme of the contract. */
export interface Authenticator {
  /** Whether the request carries a credential meant for this scheme, valid or not. */
  isAddressed(headers: IncomingHttpHeaders): boolean
  /**
   * The caller at this address. Throws one of the problems with status 401, `address_not_allowed`, `tier_required`, or
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
 * Finds the caller of an operation by the schemes it accepts. Each scheme has one authenticator. A contract that names
 * a scheme without one fails at startup, because its operations would be open to nobody or to everybody.
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
    // A request without credentials is told what the first scheme requires.
    const way = ways.length === 1 ? ways[0] : (ways.find((each) => each.isAddressed(headers)) ?? ways[0])
    return way.authenticate(headers, address)
  }
}
