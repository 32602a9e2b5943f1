import type { Config } from '../../platform/config/config.ts'
import { SCOPES } from './scopes.ts'

/**
 * The addresses of the service's one resource. A token is for the service at its public address; an app may name that,
 * or the part of it that it uses.
 */
export function resourcesOf(publicUrl: string): readonly string[] {
  return [publicUrl, `${publicUrl}/`, `${publicUrl}/mcp`, `${publicUrl}/api/ext`]
}

/** RFC 8414: where what happens. */
export function authorizationServer({ publicUrl }: Pick<Config, 'publicUrl'>): object {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    registration_endpoint: `${publicUrl}/oauth/register`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    // Apps run with people, who can read whatever is in them, so none is given a secret.
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${publicUrl}/docs`,
  }
}

/** RFC 9728: who lets people in to this resource. */
export function protectedResource({ publicUrl }: Pick<Config, 'publicUrl'>, resource: string): object {
  return {
    resource,
    authorization_servers: [publicUrl],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Plumbline',
    resource_documentation: `${publicUrl}/docs`,
  }
}

/** The well-known document about a resource or an issuer: the path of its address comes after the name. */
export function wellKnown(name: string, address: string): string {
  const { origin, pathname } = new URL(address)
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}`
}
