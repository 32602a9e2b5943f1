import type { Authenticator, AuthenticatorParts } from './authenticator.ts'
import { notSignedIn } from './credentials.ts'
import { findSignedInMember } from './principals.ts'
import { readSessionCookie } from './session-cookie.ts'

/**
 * Finds the user of a session's cookie. Nothing is cached between requests, so that signing out, switching to another
 * organization, and losing a role take effect at once, on every process. A person makes only a few requests a second.
 */
export function createSessionAuthenticator({ database, clock, identity, config }: AuthenticatorParts): Authenticator {
  const { publicUrl } = config
  return {
    isAmbient: true,
    // A key or a token takes precedence over any cookies.
    isAddressed: ({ authorization, cookie }) =>
      authorization === undefined && readSessionCookie(cookie, publicUrl) !== null,
    async authenticate({ cookie }) {
      const value = readSessionCookie(cookie, publicUrl)
      if (value === null) throw notSignedIn('This operation requires a signed-in user. Sign in first.')
      const session = await identity.find(value)
      if (session === null || session.expiresAt.getTime() <= clock.nowMs())
        throw notSignedIn('Your session has ended. Sign in again.')
      const member = await findSignedInMember(database.statements, session)
      if (member === null) throw notSignedIn('Your access to this organization has ended. Ask an admin to restore it.')
      return member
    },
  }
}
