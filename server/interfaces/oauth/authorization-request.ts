import type { Permission } from '../../../client/contract.gen.ts'
import type { Database } from '../../platform/database/database.ts'
import { findClient, type OauthClient } from './oauth-clients.ts'
import { listResourceUrls } from './oauth-metadata.ts'
import { isRegisteredUri } from './redirect-uris.ts'
import { listPermissionsForScope } from './scopes.ts'

/** An authorization request that has been validated. */
export interface AuthorizationRequest {
  readonly client: OauthClient
  readonly redirectUri: string
  readonly state: string | null
  readonly challenge: string
  readonly permissions: readonly Permission[]
}

/** An error that only the user sees, because the redirect URI may not belong to the app. */
export interface UntrustedRequest {
  readonly message: string
}

/** An OAuth error. The app gets this error only if the user has connected the app before (see oauth-routes.ts). */
export interface AuthorizationError {
  readonly client: OauthClient
  readonly redirectUri: string
  readonly state: string | null
  readonly error: string
  readonly description: string
}

/** The maximum length of `state`, in characters. The service returns `state` to the app unchanged. */
const MAX_STATE_LENGTH = 2000

/** Reads the page's parameters. Rejects a parameter that occurs twice, because its value would be ambiguous. */
export async function readAuthorizationRequest(
  parts: { database: Database; publicUrl: string },
  parameters: URLSearchParams,
): Promise<AuthorizationRequest | UntrustedRequest | AuthorizationError> {
  const one = (name: string) => (parameters.getAll(name).length === 1 ? parameters.get(name) : null)
  const [clientId, redirectUri] = [one('client_id'), one('redirect_uri')]
  const client = clientId === null ? undefined : await findClient(parts.database, clientId)
  if (client === undefined)
    return {
      message:
        'The app is not registered with this service, or its registration was removed because the app was never used. Connect the app again.',
    }
  if (redirectUri === null || !isRegisteredUri(redirectUri, client.redirectUris))
    return {
      message: 'The app requested a redirect to an unregistered URL, so it might not be the app that it claims to be.',
    }
  const state = one('state')
  const refused = (error: string, description: string): AuthorizationError => ({
    ...{ client, redirectUri, state, error, description },
  })
  const twice = [...new Set(parameters.keys())].find((name) => parameters.getAll(name).length > 1)
  if (twice !== undefined && twice !== 'resource')
    return refused('invalid_request', 'A parameter occurs more than once.')
  if ((state ?? '').length > MAX_STATE_LENGTH)
    return { message: `The app sent a state parameter of more than ${MAX_STATE_LENGTH} characters.` }
  if (one('response_type') !== 'code') return refused('unsupported_response_type', 'response_type must be code.')
  const challenge = one('code_challenge') ?? ''
  if (one('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge))
    return refused('invalid_request', 'Send code_challenge with code_challenge_method=S256 (PKCE).')
  const known = listResourceUrls(parts.publicUrl)
  if (parameters.getAll('resource').some((each) => !known.includes(each)))
    return refused('invalid_target', `resource must be ${parts.publicUrl} or its /mcp endpoint.`)
  const permissions = listPermissionsForScope(one('scope'))
  if (permissions === null) return refused('invalid_scope', 'Unknown scope. Supported scopes: read, write.')
  return { client, redirectUri, state, challenge, permissions }
}
