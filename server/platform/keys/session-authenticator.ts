import type { Authenticator, AuthenticatorParts } from './authenticator.ts'
import { createSignInProblem } from './credentials.ts'
import { findSignedInMember } from './principals.ts'
import { readSessionCookie } from './session-cookie.ts'

/**
 * Finds the user whom the session of a cookie represents. Nothing is cached between requests, so that signing out,
 * switching to another organization, and losing a role take effect immediately in all processes. A lookup for each
 * request is acceptable, because a user sends only a few requests per second.
 */
export function createSessionAuthenticator({ database, clock, identity, config }: AuthenticatorParts): Authenticator {
  const { publicUrl } = config
  return {
    isAmbient: true,
    // A key or a token takes precedence over cookies.
    isAddressed: ({ authorization, cookie }) =>
      authorization === undefined && readSessionCookie(cookie, publicUrl) !== null,
    async authenticate({ cookie }) {
      const value = readSessionCookie(cookie, publicUrl)
      if (value === null) throw createSignInProblem('This operation requires a signed-in user. Sign in first.')
      const session = await identity.find(value)
      if (session === null || session.expiresAt.getTime() <= clock.nowMs())
        throw createSignInProblem('Your session has ended. Sign in again.')
      const member = await findSignedInMember(database.statements, session)
      if (member === null)
        throw createSignInProblem('Your access to this organization has ended. Ask an admin to restore it.')
      return member
    },
  }
}
