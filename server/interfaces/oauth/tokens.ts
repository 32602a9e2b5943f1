import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import * as grants from '../../domain/administration/oauth-grants/queries.ts'
import type { Surroundings, WriteCall } from '../../platform/calls/call.ts'
import { isOauthSecret, newOauthSecret, type OauthSecretKind, oauthHash } from '../../platform/keys/oauth-secrets.ts'
import { systemCall } from '../../platform/keys/principals.ts'
import { OauthError } from './errors.ts'
import { resourcesOf } from './metadata.ts'
import { narrowTo } from './scopes.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** A code is used within seconds. A refresh token that was not used for this long belongs to a forgotten app. */
const LIVES_MS = { code: MINUTE_MS, access: HOUR_MS, refresh: 30 * 24 * HOUR_MS } as const

interface Sent {
  readonly [field: string]: unknown
}

/** Issues the code that an app exchanges for its first tokens. */
export async function issueCode(
  call: WriteCall,
  grantId: string,
  asked: { redirectUri: string; challenge: string },
): Promise<string> {
  return issue(call, grantId, 'code', asked)
}

async function issue(
  call: WriteCall,
  grantId: string,
  kind: OauthSecretKind,
  asked: { redirectUri?: string; challenge?: string; permissions?: readonly string[] } = {},
): Promise<string> {
  const { permissions, ...rest } = asked
  const secret = newOauthSecret(kind)
  const expiresAt = new Date(call.now.getTime() + LIVES_MS[kind])
  const { organizationId } = call
  await call.db
    .insertInto('oauthTokens')
    .values({
      hash: oauthHash(secret),
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

/** Exchanges a code with its verifier, or a refresh token, for new tokens (RFC 6749, as OAuth 2.1 narrows it). */
export async function exchange(surroundings: Surroundings, sent: Sent): Promise<object> {
  const field = fieldsOf(sent)
  const { publicUrl } = surroundings.config
  const resources = [sent.resource ?? []].flat()
  if (resources.some((each) => !resourcesOf(publicUrl).some((known) => known === each)))
    throw new OauthError('invalid_target', `resource must be ${publicUrl} or ${publicUrl}/mcp.`)
  const kinds: Readonly<Record<string, 'code' | 'refresh'>> = { authorization_code: 'code', refresh_token: 'refresh' }
  const kind = kinds[field('grant_type') ?? '']
  if (kind === undefined)
    throw new OauthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.')
  const clientId = field('client_id')
  if (clientId === null) throw new OauthError('invalid_client', 'Send client_id.', 401)
  const secret = field(kind === 'code' ? 'code' : 'refresh_token') ?? ''
  const organizationId = await organizationOf(surroundings, secret, kind)
  if (organizationId === null) throw wrong(kind)
  const call = await systemCall(surroundings, organizationId)
  // A rejection may still revoke the grant, so the error is thrown after the transaction.
  const result = await call.write((call) => spend(call, { secret, kind, clientId, field }))
  if (result instanceof OauthError) throw result
  return result
}

interface Spending {
  secret: string
  kind: 'code' | 'refresh'
  clientId: string
  field(name: string): string | null
}

async function spend(call: WriteCall, { secret, kind, clientId, field }: Spending): Promise<object | OauthError> {
  const found = await lock(call, secret, kind)
  // A caller that knows a token but not the client it belongs to has probably stolen it.
  if (found === undefined || found.clientId !== clientId) return wrong(kind)
  if (found.spentAt !== null) {
    // One of the two callers stole the token, and it is unknown which.
    await grants.revoke(call, found.grantId)
    return new OauthError(
      'invalid_grant',
      `The code or token was already used, so the grant was revoked. Ask the user to connect again.`,
    )
  }
  const { publicUrl } = call.surroundings.config
  const isOver = [found.expiresAt, found.endsAt].some((end) => Date.parse(end) <= call.now.getTime())
  if (isOver || found.status === 'disabled' || found.audience !== publicUrl) return wrong(kind)
  if (kind === 'code') {
    const redirectUri = field('redirect_uri')
    if (redirectUri !== null && redirectUri !== found.redirectUri)
      return new OauthError('invalid_grant', 'redirect_uri is another one than the code was asked for with.')
    if (challengeOf(field('code_verifier') ?? '') !== found.challenge)
      return new OauthError('invalid_grant', 'code_verifier is not the one that code_challenge was made of.')
  }
  const { grantId } = found
  const permissions = narrowTo(field('scope') ?? '', found.permissions)
  if (permissions === null) return new OauthError('invalid_scope', 'scope exceeds what the person granted.')
  await sql`update "oauthTokens" set "spentAt" = ${call.now.toISOString()}
    where "organizationId" = ${call.organizationId} and "hash" = ${oauthHash(secret)}`.execute(call.db)
  return {
    access_token: await issue(call, grantId, 'access', { permissions }),
    token_type: 'Bearer',
    expires_in: LIVES_MS.access / 1000,
    // RFC 6749, section 6: the new refresh token has the scope of the old one, however the access token was narrowed.
    refresh_token: await issue(call, grantId, 'refresh'),
    scope: permissions.join(' '),
  }
}

/** Revokes a token (RFC 7009). A refresh token revokes the whole grant. */
export async function giveBack(surroundings: Surroundings, sent: Sent): Promise<void> {
  const field = fieldsOf(sent)
  const token = field('token')
  const clientId = field('client_id')
  if (token === null || clientId === null) throw new OauthError('invalid_request', 'token and client_id are required.')
  const kind = isOauthSecret('refresh', token) ? 'refresh' : 'access'
  const organizationId = await organizationOf(surroundings, token, kind)
  // The response does not reveal whether the token existed.
  if (organizationId === null) return
  const call = await systemCall(surroundings, organizationId)
  await call.write(async (call) => {
    const found = await lock(call, token, kind)
    if (found === undefined || found.clientId !== clientId) return
    if (kind === 'refresh') await grants.revoke(call, found.grantId)
    else
      await sql`delete from "oauthTokens"
        where "organizationId" = ${call.organizationId} and "hash" = ${oauthHash(token)}`.execute(call.db)
  })
}

// A field that is sent twice counts as missing.
function fieldsOf(sent: Sent): (name: string) => string | null {
  return (name) => {
    const value = sent[name]
    return typeof value === 'string' && value !== '' ? value : null
  }
}

function wrong(kind: 'code' | 'refresh'): OauthError {
  const name = kind === 'code' ? 'code' : 'refresh_token'
  return new OauthError('invalid_grant', `${name} is unknown, has expired, or belongs to another app.`)
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

// The hash is unique, and a caller that has the secret may learn whose it is.
async function organizationOf(
  { database }: Surroundings,
  secret: string,
  kind: OauthSecretKind,
): Promise<string | null> {
  if (!isOauthSecret(kind, secret)) return null
  const found = await database.statements
    .selectFrom('oauthTokens')
    .select('organizationId')
    .where('hash', '=', oauthHash(secret))
    .executeTakeFirst()
  return found?.organizationId ?? null
}

interface Found {
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

/** Locks the token until the transaction ends, so that of two concurrent uses one comes second. */
async function lock(
  { db, organizationId }: WriteCall,
  secret: string,
  kind: OauthSecretKind,
): Promise<Found | undefined> {
  const { rows } = await sql<Found>`
    select t."grantId", t."redirectUri", t."challenge", t."spentAt", t."expiresAt", g."clientId", g."permissions",
      g."audience", g."expiresAt" as "endsAt", u."status"
    from "oauthTokens" as t
    join "oauthGrants" as g on g."organizationId" = t."organizationId" and g."id" = t."grantId"
    join "users" as u on u."organizationId" = g."organizationId" and u."id" = g."userId"
    where t."organizationId" = ${organizationId} and t."hash" = ${oauthHash(secret)} and t."kind" = ${kind}
      and g."revokedAt" is null
    for no key update of t`.execute(db)
  return rows[0]
}
