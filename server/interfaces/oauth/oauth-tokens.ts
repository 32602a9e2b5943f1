import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import * as grants from '../../domain/administration/oauth-grants/queries.ts'
import type { Services, WriteCall } from '../../platform/calls/call.ts'
import {
  createOauthSecret,
  hashOauthSecret,
  isOauthSecret,
  type OauthSecretKind,
} from '../../platform/keys/oauth-secrets.ts'
import { createSystemCall } from '../../platform/keys/principals.ts'
import { OauthError } from './oauth-error.ts'
import { listResourceUrls } from './oauth-metadata.ts'
import { narrowPermissions } from './scopes.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * The lifetime of each kind of secret, in milliseconds. Apps use a code within seconds. An app that does not use its
 * refresh token for 30 days has been abandoned.
 */
const LIFETIMES_MS = { code: MINUTE_MS, access: HOUR_MS, refresh: 30 * 24 * HOUR_MS } as const

interface TokenRequest {
  readonly [field: string]: unknown
}

/** Issues the authorization code that an app exchanges for its first tokens. */
export async function issueAuthorizationCode(
  call: WriteCall,
  grantId: string,
  requested: { redirectUri: string; challenge: string },
): Promise<string> {
  return issueSecret(call, grantId, 'code', requested)
}

async function issueSecret(
  call: WriteCall,
  grantId: string,
  kind: OauthSecretKind,
  requested: { redirectUri?: string; challenge?: string; permissions?: readonly string[] } = {},
): Promise<string> {
  const { permissions, ...rest } = requested
  const secret = createOauthSecret(kind)
  const expiresAt = new Date(call.now.getTime() + LIFETIMES_MS[kind])
  const { organizationId } = call
  await call.db
    .insertInto('oauthTokens')
    .values({
      hash: hashOauthSecret(secret),
      organizationId,
      grantId,
      kind,
      expiresAt,
      ...rest,
      permissions: permissions ? [...permissions] : null,
    })
    .execute()
  return secret
}

/**
 * Exchanges a code with its verifier, or a refresh token, for new tokens (RFC 6749, with the restrictions of OAuth
 * 2.1).
 */
export async function exchangeToken(services: Services, sent: TokenRequest): Promise<object> {
  const field = createFieldReader(sent)
  const { publicUrl } = services.config
  const resources = [sent.resource ?? []].flat()
  if (resources.some((each) => !listResourceUrls(publicUrl).some((known) => known === each)))
    throw new OauthError('invalid_target', `resource must be ${publicUrl} or ${publicUrl}/mcp.`)
  const kinds: Readonly<Record<string, 'code' | 'refresh'>> = { authorization_code: 'code', refresh_token: 'refresh' }
  const kind = kinds[field('grant_type') ?? '']
  if (kind === undefined)
    throw new OauthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.')
  const clientId = field('client_id')
  if (clientId === null) throw new OauthError('invalid_client', 'Send client_id.', 401)
  const secret = field(kind === 'code' ? 'code' : 'refresh_token') ?? ''
  const organizationId = await findOrganizationOfSecret(services, secret, kind)
  if (organizationId === null) throw invalidGrant(kind)
  const call = await createSystemCall(services, organizationId)
  // A rejected request may also revoke the grant. The error is thrown after the transaction, so that the revocation is
  // committed.
  const result = await call.write((call) => spendSecret(call, { secret, kind, clientId, field }))
  if (result instanceof OauthError) throw result
  return result
}

interface SecretUse {
  secret: string
  kind: 'code' | 'refresh'
  clientId: string
  field(name: string): string | null
}

async function spendSecret(
  call: WriteCall,
  { secret, kind, clientId, field }: SecretUse,
): Promise<object | OauthError> {
  const found = await lockSecret(call, secret, kind)
  // A caller that sends a token together with the wrong client has probably stolen the token.
  if (found === undefined || found.clientId !== clientId) return invalidGrant(kind)
  if (found.spentAt !== null) {
    // The code or token was used twice. One of the two callers stole it, but the service cannot know which one.
    await grants.revokeGrant(call, found.grantId)
    return new OauthError(
      'invalid_grant',
      `The code or token was already used, so the grant was revoked. Ask the user to connect again.`,
    )
  }
  const { publicUrl } = call.services.config
  const isOver = [found.expiresAt, found.endsAt].some((end) => Date.parse(end) <= call.now.getTime())
  if (isOver || found.status === 'disabled' || found.audience !== publicUrl) return invalidGrant(kind)
  if (kind === 'code') {
    const redirectUri = field('redirect_uri')
    if (redirectUri !== null && redirectUri !== found.redirectUri)
      return new OauthError('invalid_grant', 'redirect_uri is another one than the code was asked for with.')
    if (toChallenge(field('code_verifier') ?? '') !== found.challenge)
      return new OauthError('invalid_grant', 'code_verifier is not the one that code_challenge was made of.')
  }
  const { grantId } = found
  const permissions = narrowPermissions(field('scope') ?? '', found.permissions)
  if (permissions === null) return new OauthError('invalid_scope', 'scope exceeds what the person granted.')
  await sql`update "oauthTokens" set "spentAt" = ${call.now.toISOString()}
    where "organizationId" = ${call.organizationId} and "hash" = ${hashOauthSecret(secret)}`.execute(call.db)
  return {
    access_token: await issueSecret(call, grantId, 'access', { permissions }),
    token_type: 'Bearer',
    expires_in: LIFETIMES_MS.access / 1000,
    // The new refresh token has the scope of the old refresh token, even if the app requested a narrower scope for the
    // access token (RFC 6749, section 6).
    refresh_token: await issueSecret(call, grantId, 'refresh'),
    scope: permissions.join(' '),
  }
}

/** Revokes a token (RFC 7009). Revoking a refresh token revokes the whole grant. */
export async function revokeToken(services: Services, sent: TokenRequest): Promise<void> {
  const field = createFieldReader(sent)
  const token = field('token')
  const clientId = field('client_id')
  if (token === null || clientId === null) throw new OauthError('invalid_request', 'token and client_id are required.')
  const kind = isOauthSecret('refresh', token) ? 'refresh' : 'access'
  const organizationId = await findOrganizationOfSecret(services, token, kind)
  // The response does not reveal whether the token existed.
  if (organizationId === null) return
  const call = await createSystemCall(services, organizationId)
  await call.write(async (call) => {
    const found = await lockSecret(call, token, kind)
    if (found === undefined || found.clientId !== clientId) return
    if (kind === 'refresh') await grants.revokeGrant(call, found.grantId)
    else
      await sql`delete from "oauthTokens"
        where "organizationId" = ${call.organizationId} and "hash" = ${hashOauthSecret(token)}`.execute(call.db)
  })
}

// A field that is sent twice is treated as missing.
function createFieldReader(sent: TokenRequest): (name: string) => string | null {
  return (name) => {
    const value = sent[name]
    return typeof value === 'string' && value !== '' ? value : null
  }
}

function invalidGrant(kind: 'code' | 'refresh'): OauthError {
  const name = kind === 'code' ? 'code' : 'refresh_token'
  return new OauthError('invalid_grant', `${name} is unknown, has expired, or belongs to another app.`)
}

function toChallenge(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

// Looks in all organizations, because the hash is unique and a caller that has the secret may know its organization.
async function findOrganizationOfSecret(
  { database }: Services,
  secret: string,
  kind: OauthSecretKind,
): Promise<string | null> {
  if (!isOauthSecret(kind, secret)) return null
  const found = await database.statements
    .selectFrom('oauthTokens')
    .select('organizationId')
    .where('hash', '=', hashOauthSecret(secret))
    .executeTakeFirst()
  return found?.organizationId ?? null
}

interface FoundSecret {
  grantId: string
  clientId: string
  permissions: string[]
  audience: string
  status: string
  redirectUri: string | null
  challenge: string | null
  spentAt: string | null
  expiresAt: string
  endsAt: string
}

/** Locks the token until the transaction ends, so that concurrent uses of the token run one after another. */
async function lockSecret(
  { db, organizationId }: WriteCall,
  secret: string,
  kind: OauthSecretKind,
): Promise<FoundSecret | undefined> {
  const { rows } = await sql<FoundSecret>`
    select t."grantId", t."redirectUri", t."challenge", t."spentAt", t."expiresAt", g."clientId", g."permissions",
      g."audience", g."expiresAt" as "endsAt", u."status"
    from "oauthTokens" as t
    join "oauthGrants" as g on g."organizationId" = t."organizationId" and g."id" = t."grantId"
    join "users" as u on u."organizationId" = g."organizationId" and u."id" = g."userId"
    where t."organizationId" = ${organizationId} and t."hash" = ${hashOauthSecret(secret)} and t."kind" = ${kind}
      and g."revokedAt" is null
    for no key update of t`.execute(db)
  return rows[0]
}
