import type { Config } from '../../platform/config/config.ts'
import { SCOPES } from './scopes.ts'

/**
 * Returns the URIs that an app may send as the resource. A token is valid for the whole service. An app may send the
 * public URL of the service or the URL of the part that it uses.
 */
export function listResourceUrls(publicUrl: string): readonly string[] {
  return [publicUrl, `${publicUrl}/`, `${publicUrl}/mcp`, `${publicUrl}/api/ext`]
}

/** Returns the authorization server metadata of RFC 8414. */
export function getAuthorizationServerMetadata({ publicUrl }: Pick<Config, 'publicUrl'>): object {
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
    // Apps get no client secret, because they run on users' devices, where anyone can read it.
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${publicUrl}/docs`,
  }
}

/** Returns the protected resource metadata of RFC 9728, which contains the URL of the authorization server. */
export function getProtectedResourceMetadata({ publicUrl }: Pick<Config, 'publicUrl'>, resource: string): object {
  return {
    resource,
    authorization_servers: [publicUrl],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Plumbline',
    resource_documentation: `${publicUrl}/docs`,
  }
}

/** Returns the well-known URL for a resource or an issuer. The path of the resource or issuer comes after the name. */
export function toWellKnownUrl(name: string, address: string): string {
  const { origin, pathname } = new URL(address)
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}`
}
