import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Database } from '../../platform/database/database.ts'
import { OauthError } from './oauth-error.ts'
import { isRedirectUri } from './redirect-uris.ts'
import { listPermissionsForScope, SCOPES } from './scopes.ts'

/**
 * An app with the data from its registration. Anyone can register an app with any data, so its name and links are
 * unverified.
 */
export interface OauthClient {
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
}

const MAX_REDIRECTS = 10
const MAX_NAME_LENGTH = 100

/**
 * The maximum number of registered apps that have never been connected, for all builders together. They use a few
 * megabytes.
 */
const MAX_UNUSED_CLIENTS = 10_000

/** Registers an app (RFC 7591) and returns the response body. */
export async function registerClient(database: Database, now: Date, sent: unknown): Promise<object> {
  const { name, redirectUris } = readClient(sent)
  const id = typeid('cli').toString()
  const { rows } = await sql`
    insert into "oauthClients" ("id", "name", "redirectUris", "createdAt")
    select ${id}, ${name}, ${[...redirectUris]}::text[], ${now.toISOString()}::timestamptz
    where (select count(*) from (select from "oauthClients" where "grantedAt" is null limit ${MAX_UNUSED_CLIENTS}) as u) < ${MAX_UNUSED_CLIENTS}
    returning 1`.execute(database.statements)
  if (rows.length === 0)
    throw new OauthError('temporarily_unavailable', 'Too many apps were registered today. Try again later.', 503, {
      'Retry-After': '3600',
    })
  return {
    client_id: id,
    client_id_issued_at: Math.floor(now.getTime() / 1000),
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: SCOPES.join(' '),
  }
}

function readClient(sent: unknown): Omit<OauthClient, 'id'> {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new OauthError('invalid_client_metadata', 'The body must be a JSON object.')
  const { redirect_uris: redirectUris, client_name: name, scope, grant_types: grants } = sent as Record<string, unknown>
  if (!Array.isArray(redirectUris) || redirectUris.length === 0 || redirectUris.length > MAX_REDIRECTS)
    throw new OauthError('invalid_redirect_uri', `redirect_uris takes 1 to ${MAX_REDIRECTS} addresses.`)
  const wrong = redirectUris.find((each) => typeof each !== 'string' || !isRedirectUri(each))
  if (wrong !== undefined)
    throw new OauthError(
      'invalid_redirect_uri',
      `redirect_uris takes https, http to this device (127.0.0.1, [::1], localhost), or a scheme of the app's own such as com.example.app:/done, without a fragment; not ${JSON.stringify(wrong).slice(0, 200)}.`,
    )
  if (Array.isArray(grants) && !grants.includes('authorization_code'))
    throw new OauthError('invalid_client_metadata', 'grant_types must include authorization_code.')
  if (typeof scope === 'string' && listPermissionsForScope(scope) === null)
    throw new OauthError('invalid_client_metadata', `Unknown scope. Supported scopes: ${SCOPES.join(', ')}.`)
  return { name: typeof name === 'string' ? cleanName(name) : DEFAULT_NAME, redirectUris: redirectUris as string[] }
}

const DEFAULT_NAME = 'An app without a name'

/** Removes the characters that would break the name's line or that change or hide adjacent text. */
function cleanName(name: string): string {
  const shown = name
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return [...shown].slice(0, MAX_NAME_LENGTH / 2).join('') || DEFAULT_NAME
}

export async function findClient(database: Database, id: string): Promise<OauthClient | undefined> {
  return database.statements
    .selectFrom('oauthClients')
    .select(['id', 'name', 'redirectUris'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Records that a user connected the app, so that the app is not deleted. Returns false if the app no longer exists. */
export async function markClientConnected(database: Database, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await database.statements
    .updateTable('oauthClients')
    .set({ grantedAt: now })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
