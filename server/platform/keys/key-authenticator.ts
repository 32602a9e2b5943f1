import type { IncomingHttpHeaders } from 'node:http'
import { sql } from 'kysely'
import type { Permission } from '../../../client/contract.gen.ts'
import type { Principal } from '../calls/call.ts'
import { Problem } from '../problems/problem.ts'
import { formatTimestamp } from '../values/format.ts'
import { type AddressList, isInAddressList, parseAddressList } from './allowed-addresses.ts'
import type { Authenticator, AuthenticatorParts } from './authenticator.ts'
import { type BrowserToken, isBrowserToken, unsealBrowserToken } from './browser-token.ts'
import { createAuthenticationProblem, readBearerToken } from './credentials.ts'
import { FailedAttempts } from './failed-attempts.ts'
import { findKeyBySecret, findKeyByToken } from './find-key.ts'
import { isKeySecret } from './key-secret.ts'
import { getRolePermissions, isDelegablePermission, type Role } from './roles.ts'

/**
 * Finds the API key for the secret in a bearer token, or the key with which a browser token was created. The result is
 * cached for half a second. Therefore, a revocation, an expiration, or a changed role takes effect in all processes
 * within a second, and a key in constant use causes only two lookups per second.
 */
const CACHE_MS = 500
const MAX_CACHED = 10_000

interface CachedKey {
  principal: Principal
  /** The addresses from which the key can be used; null for all addresses. */
  addresses: AddressList | null
  until: number
  /** The only origin whose pages can use the browser token; null for a key. */
  origin: string | null
  /** The time in milliseconds at which the secret or the key expires. */
  expires: number
}

export function createKeyAuthenticator({ database, clock, config }: AuthenticatorParts): Authenticator {
  const failed = new FailedAttempts(config.failedKeysPerMinute, clock)
  const known = new Map<string, CachedKey>()
  const requested = new Map<string, Promise<CachedKey>>()

  async function lookUp(secret: string, authorization: string): Promise<CachedKey> {
    const token = isBrowserToken(secret) ? opened(secret) : null
    const db = database.statements
    const row = token === null ? await findKeyBySecret(db, secret) : await findKeyByToken(db, token)
    if (row === undefined)
      throw createAuthenticationProblem('invalid_key', 'Unknown API key. Check the key, or create a new one.')
    const refused = { organizationId: row.organizationId, actor: { type: 'key', id: row.id } } as const
    if (row.revokedAt !== null)
      throw createAuthenticationProblem(
        'revoked_key',
        `The API key was revoked on ${formatTimestamp(row.revokedAt, row.timeZone)}. Use another key.`,
      ).refusing(refused)
    const expires = [row.expiresAt, row.secretExpiresAt].filter((at) => at !== null).sort()[0]
    if (expires !== undefined && Date.parse(expires) <= clock.nowMs()) {
      const isTokens = token !== null && expires === row.secretExpiresAt
      const expiry = formatTimestamp(expires, row.timeZone)
      const detail = isTokens
        ? `The browser token expired on ${expiry}. Request a new one from your server.`
        : token === null
          ? `The API key expired on ${expiry}. Use another key.`
          : `The API key of the browser token expired on ${expiry}. Use another key.`
      throw createAuthenticationProblem('expired_key', detail).refusing(refused)
    }
    if (row.tier !== 'pro_plus') throw new Problem('tier_required', 'The API requires the Pro+ tier.').refusing(refused)
    // A key acts for its creator. The key has at most the current permissions of its creator, and none after the
    // creator is deactivated.
    const power: ReadonlySet<Permission> =
      row.userStatus === 'disabled' ? new Set() : getRolePermissions(row.role as Role)
    const provided =
      token === null ? row.permissions : row.permissions.filter((each) => token.permissions.includes(each))
    const { organizationId, organizationName, tier, currency, timeZone } = row
    const principal: Principal = {
      kind: 'key',
      id: row.id,
      organization: { id: organizationId, name: organizationName, tier, currency, timeZone },
      permissions: new Set(
        provided.filter(
          (permission) =>
            power.has(permission as Permission) &&
            (isDelegablePermission(permission) || (token === null && !row.proposeOnly)),
        ),
      ),
      poApprovalLimit: row.poApprovalLimit,
      subjectId: null,
      counters: { minute: `minute:${row.id}`, kind: 'key', day: `day:${organizationId}` },
      ...(token !== null && { isInBrowser: true as const }),
      ...(row.proposeOnly && { isProposeOnly: true as const }),
    }
    if (known.size >= MAX_CACHED) known.clear()
    const found: CachedKey = {
      principal,
      addresses: row.allowedAddresses === null ? null : parseAddressList(row.allowedAddresses),
      origin: token === null ? null : token.origin,
      until: clock.nowMs() + CACHE_MS,
      expires: expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires),
    }
    known.set(authorization, found)
    await noteUse(row)
    return found
  }

  // Stores the time of the last use at most once a minute. The time is only informative, so storing it must never fail
  // a request.
  async function noteUse(key: { organizationId: string; id: string; lastUsedAt: string | null }): Promise<void> {
    const { organizationId, id, lastUsedAt } = key
    const now = clock.nowMs()
    if (lastUsedAt !== null && now - Date.parse(lastUsedAt) < 60_000) return
    const minute = new Date(now - (now % 60_000))
    await sql`update "apiKeys" set "lastUsedAt" = ${minute} where "organizationId" = ${organizationId} and "id" = ${id}
      and ("lastUsedAt" is null or "lastUsedAt" < ${minute})`
      .execute(database.statements)
      .catch(() => {})
  }

  function opened(secret: string): BrowserToken {
    const token = unsealBrowserToken(config.encryptionKey, secret)
    if (token === null)
      throw createAuthenticationProblem(
        'invalid_key',
        'The browser token is not valid. Request a new one from your server.',
      )
    return token
  }

  /**
   * Returns the caller if the key can be used from this address, or if the browser token can be used by this page.
   * Otherwise, throws a problem.
   */
  function admitted(
    { principal, addresses, origin }: CachedKey,
    headers: IncomingHttpHeaders,
    address: string,
  ): Principal {
    if (origin !== null && headers.origin !== origin) {
      throw createAuthenticationProblem(
        'invalid_key',
        headers.origin === undefined
          ? `The browser token is valid only for pages from ${origin}, but the request has no Origin header.`
          : `The browser token is valid only for pages from ${origin}, not from ${headers.origin.slice(0, 300)}.`,
      )
    }
    if (addresses === null || isInAddressList(addresses, address)) return principal
    const refused = { organizationId: principal.organization.id, actor: { type: principal.kind, id: principal.id } }
    throw new Problem(
      'address_not_allowed',
      `The API key cannot be used from ${address}. Add this address to the addresses that the key allows.`,
    ).refusing(refused)
  }

  async function authenticate(headers: IncomingHttpHeaders, address: string): Promise<Principal> {
    const { authorization } = headers
    if (authorization === undefined || authorization === '') {
      throw createAuthenticationProblem(
        'missing_key',
        'The request has no API key. Send it as "Authorization: Bearer plb_…".',
      )
    }
    const found = known.get(authorization)
    if (found !== undefined) {
      const now = clock.nowMs()
      if (found.until > now && found.expires > now) return admitted(found, headers, address)
    }
    const secret = readBearerToken(authorization)
    if (secret === null || !(isKeySecret(secret) || isBrowserToken(secret)))
      throw createAuthenticationProblem('invalid_key', 'The API key is malformed. A key has the form "plb_…".')
    // Concurrent requests with the same key share one lookup.
    let asking = requested.get(authorization)
    if (asking === undefined) {
      // If the key was valid at its last lookup, look it up again without using an attempt, because it is probably
      // still valid.
      asking = found === undefined ? tryOut(secret, authorization, address) : lookUpAgain(secret, authorization)
      requested.set(authorization, asking)
      asking.finally(() => requested.delete(authorization)).catch(() => {})
    }
    return admitted(await asking, headers, address)
  }

  async function lookUpAgain(secret: string, authorization: string): Promise<CachedKey> {
    try {
      return await lookUp(secret, authorization)
    } catch (error) {
      if (isCredentialError(error)) {
        known.delete(authorization)
        failed.remember(secret, error)
      }
      throw error
    }
  }

  async function tryOut(secret: string, authorization: string, address: string): Promise<CachedKey> {
    failed.refuseKnown(secret)
    const giveBack = failed.take(address)
    try {
      const found = await lookUp(secret, authorization)
      giveBack()
      return found
    } catch (error) {
      if (isCredentialError(error)) failed.remember(secret, error)
      else {
        giveBack()
        if (error instanceof Problem) failed.rememberBriefly(secret, error)
      }
      throw error
    }
  }

  return { isAddressed: ({ authorization = '' }) => /^Bearer plb_/i.test(authorization), authenticate }
}

/**
 * Returns whether the error means that the key is unknown or no longer valid. Returns false if the key was rejected
 * because of the tier, or if the database is unavailable.
 */
function isCredentialError(error: unknown): error is Problem {
  return error instanceof Problem && error.status === 401
}
