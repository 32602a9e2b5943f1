import type { Permission } from '../../../client/contract.gen.ts'
import type { Database } from '../../platform/database/database.ts'
import { type Client, findClient } from './clients.ts'
import { resourcesOf } from './metadata.ts'
import { isRegistered } from './redirects.ts'
import { permissionsFor } from './scopes.ts'

/** What an app asks a person for, checked. */
export interface AuthorizationRequest {
  readonly client: Client
  readonly redirectUri: string
  readonly state: string | null
  readonly challenge: string
  readonly permissions: readonly Permission[]
}

/** Why there is nothing to ask: told to the person, because where the app would be told is not known to be the app's. */
export interface Untold {
  readonly message: string
}

/** Why there is nothing to ask, in the words of OAuth. The app is told if the person trusts it (routes.ts). */
export interface Refusal {
  readonly client: Client
  readonly redirectUri: string
  readonly state: string | null
  readonly error: string
  readonly description: string
}

/** What comes back with the answer is the app's own; more than this is no state. */
const LONGEST_STATE = 2000

/** The page's parameters, each at most once: of two, nobody could say which was meant. */
export async function readAuthorizationRequest(
  parts: { database: Database; publicUrl: string },
  parameters: URLSearchParams,
): Promise<AuthorizationRequest | Untold | Refusal> {
  const one = (name: string) => (parameters.getAll(name).length === 1 ? parameters.get(name) : null)
  const [clientId, redirectUri] = [one('client_id'), one('redirect_uri')]
  const client = clientId === null ? undefined : await findClient(parts.database, clientId)
  if (client === undefined)
    return {
      message:
        'This app is not registered, or its registration expired because it was not used. Connect the app again.',
    }
  if (redirectUri === null || !isRegistered(redirectUri, client.redirectUris))
    return {
      message: 'The redirect URI is not registered for this app. The request may come from a different app.',
    }
  const state = one('state')
  const refused = (error: string, description: string): Refusal => ({
    ...{ client, redirectUri, state, error, description },
  })
  const twice = [...new Set(parameters.keys())].find((name) => parameters.getAll(name).length > 1)
  if (twice !== undefined && twice !== 'resource')
    return refused('invalid_request', `The parameter ${twice} must not be repeated.`)
  if ((state ?? '').length > LONGEST_STATE)
    return { message: `The state parameter exceeds ${LONGEST_STATE} characters.` }
  if (one('response_type') !== 'code') return refused('unsupported_response_type', 'response_type must be code.')
  const challenge = one('code_challenge') ?? ''
  if (one('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge))
    return refused('invalid_request', 'Send code_challenge, with code_challenge_method=S256 (PKCE).')
  const known = resourcesOf(parts.publicUrl)
  if (parameters.getAll('resource').some((each) => !known.includes(each)))
    return refused('invalid_target', `resource must be ${parts.publicUrl} or ${parts.publicUrl}/mcp.`)
  const permissions = permissionsFor(one('scope'))
  if (permissions === null) return refused('invalid_scope', 'Unknown scope. Supported scopes: read, write.')
  return { client, redirectUri, state, challenge, permissions }
}
