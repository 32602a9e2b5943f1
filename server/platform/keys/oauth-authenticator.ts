import type { IncomingHttpHeaders } from 'node:http'
import { sql } from 'kysely'
import type { Permission } from '../../../client/contract.gen.ts'
import type { Organization, Principal } from '../calls/call.ts'
import { Problem } from '../problems/problem.ts'
import { formatTimestamp } from '../values/format.ts'
import type { Authenticator, AuthenticatorParts } from './authenticator.ts'
import { createAuthenticationProblem, readBearerToken } from './credentials.ts'
import { FailedAttempts } from './failed-attempts.ts'
import { findOrganizationByHash } from './find-organization-by-hash.ts'
import { hashOauthSecret, isOauthSecret } from './oauth-secrets.ts'
import { getRolePermissions, isDelegablePermission, type Role } from './roles.ts'

/**
 * Finds the user for whom an app sends an access token. The app acts as this user, and has the granted permissions that
 * are also in the user's current role. Nothing is cached between requests, so all processes immediately reject a
 * revoked grant or a deactivated user.
 */
export function createOauthAuthenticator({ database, clock, config }: AuthenticatorParts): Authenticator {
  const failed = new FailedAttempts(config.failedKeysPerMinute, clock)

  async function authenticate({ authorization = '' }: IncomingHttpHeaders, address: string): Promise<Principal> {
    const token = readBearerToken(authorization) ?? ''
    if (!isOauthSecret('access', token))
      throw createAuthenticationProblem('invalid_key', 'The access token is malformed. Request a new one.')
    failed.refuseKnown(token)
    // Reject requests from addresses with too many failures without a lookup. Give the attempt back immediately,
    // because a valid token must not use it up.
    failed.take(address)()
    const found = await find(token)
    if (found === undefined) {
      const wrong = createAuthenticationProblem(
        'invalid_key',
        'Unknown access token. Refresh it, or connect the app again.',
      )
      failed.take(address)
      failed.remember(token, wrong)
      throw wrong
    }
    const principal = principalOf(found)
    await noteUse(found)
    return principal
  }

  function principalOf({ userId, status, role, grantId, client, permissions, ...found }: FoundToken): Principal {
    const {
      poApprovalLimit,
      proposeOnly,
      expiresAt,
      endsAt,
      revokedAt,
      audience,
      lastUsedAt: _,
      ...organization
    } = found
    const via = { grantId, client }
    const refused = { organizationId: organization.id, actor: { type: 'user', id: userId, via } } as const
    const { timeZone } = organization
    if (revokedAt !== null) {
      const detail = `The access token was revoked on ${formatTimestamp(revokedAt, timeZone)}. Connect the app again.`
      throw createAuthenticationProblem('revoked_key', detail).refusing(refused)
    }
    if (status === 'disabled')
      throw createAuthenticationProblem('revoked_key', 'The user who connected the app is deactivated.').refusing(
        refused,
      )
    const [end = ''] = [expiresAt, endsAt].sort()
    if (Date.parse(end) <= clock.nowMs()) {
      const detail = `The access token expired on ${formatTimestamp(end, timeZone)}. Refresh it, or connect the app again.`
      throw createAuthenticationProblem('expired_key', detail).refusing(refused)
    }
    if (audience !== config.publicUrl) {
      const detail = `The access token is valid for ${audience}, not for ${config.publicUrl}. Request a new one.`
      throw createAuthenticationProblem('invalid_key', detail).refusing(refused)
    }
    if (organization.tier !== 'pro_plus')
      throw new Problem('tier_required', 'The API requires the Pro+ tier.').refusing(refused)
    const power = getRolePermissions(role as Role)
    return {
      kind: 'user',
      id: userId,
      via,
      organization,
      permissions: new Set(
        permissions.filter((permission) => isDelegablePermission(permission) && power.has(permission as Permission)),
      ),
      poApprovalLimit,
      subjectId: null,
      // An app is a program, so the limits of keys apply.
      counters: { minute: `minute:${grantId}`, kind: 'key', day: `day:${organization.id}` },
      ...(proposeOnly && { isProposeOnly: true as const }),
    }
  }

  // Stores the time of the last use at most once a minute. The time is only informative, so storing it must never fail
  // a request.
  async function noteUse({ id: organizationId, grantId, lastUsedAt }: FoundToken): Promise<void> {
    const now = clock.nowMs()
    if (lastUsedAt !== null && now - Date.parse(lastUsedAt) < 60_000) return
    const minute = new Date(now - (now % 60_000))
    await sql`update "oauthGrants" set "lastUsedAt" = ${minute} where "organizationId" = ${organizationId} and "id" = ${grantId}
      and ("lastUsedAt" is null or "lastUsedAt" < ${minute})`
      .execute(database.statements)
      .catch(() => {})
  }

  // No permission check is necessary, because the token itself grants access to these rows. At most one row matches,
  // because the hash of the token is unique and each joined table has one row for it.
  async function find(token: string): Promise<FoundToken | undefined> {
    const hash = hashOauthSecret(token)
    const organizationId = await findOrganizationByHash(database.statements, 'oauthTokens', hash)
    if (organizationId === undefined) return undefined
    const { rows } = await sql<FoundToken>`
      select o."id", o."name", o."tier", o."currency", o."timeZone", u."id" as "userId", u."role", u."status",
        u."poApprovalLimit", g."id" as "grantId", g."clientName" as "client", coalesce(t."permissions", g."permissions") as "permissions", g."proposeOnly",
        g."audience", g."revokedAt", g."lastUsedAt", g."expiresAt" as "endsAt", t."expiresAt"
      from "oauthTokens" as t
      join "oauthGrants" as g on g."organizationId" = t."organizationId" and g."id" = t."grantId"
      join "organizations" as o on o."id" = g."organizationId"
      join "users" as u on u."organizationId" = g."organizationId" and u."id" = g."userId"
      where g."organizationId" = ${organizationId} and t."hash" = ${hash} and t."kind" = 'access'`.execute(
      database.statements,
    )
    return rows[0]
  }

  return { isAddressed: ({ authorization = '' }) => /^Bearer pla_/i.test(authorization), authenticate }
}

interface FoundToken extends Organization {
  userId: string
  role: string
  status: string
  poApprovalLimit: number | null
  grantId: string
  client: string
  permissions: string[]
  proposeOnly: boolean
  audience: string
  revokedAt: string | null
  lastUsedAt: string | null
  /** The time at which the grant ends, and below it the time at which the token expires. */
  endsAt: string
  expiresAt: string
}
