import type { Services, WriteCall } from '../../../platform/calls/call.ts'
import { consumeOneTimeToken, createOneTimeToken, readOneTimeToken, seal, unseal } from './one-time-tokens.ts'

/**
 * Tokens of emailed links to the list of a vendor's portal links. A token contains the encrypted email address. The
 * database contains a row for each token and deletes it at the first use, so the link works only once.
 */

/**
 * The time in milliseconds for which the browser can show the list after the vendor has confirmed the email address.
 */
const LIST_LIFETIME_MS = 60 * 60 * 1000

const TOKEN_CONTEXT = 'portal link list'
const COOKIE_CONTEXT = 'portal link list cookie'

/**
 * Creates a one-time token for an email address. The token's row belongs to the builder of the call, who cannot see it.
 */
export function createLinkListToken(call: WriteCall, email: string): Promise<string> {
  return createOneTimeToken(call, TOKEN_CONTEXT, email)
}

/** Returns the email address in a token; null if the token is invalid or has expired. The token remains usable. */
export function readLinkListToken(services: Services, token: string): { email: string } | null {
  const content = readOneTimeToken(services, TOKEN_CONTEXT, token)
  return content === null ? null : { email: content.subject }
}

/** Uses up a token and returns its email address; null if the token is invalid, has expired, or was already used. */
export async function consumeLinkListToken(services: Services, token: string): Promise<{ email: string } | null> {
  const content = await consumeOneTimeToken(services, TOKEN_CONTEXT, token)
  return content === null ? null : { email: content.subject }
}

/** Returns the value of the cookie with which the browser can show the list for a confirmed email address. */
export function toLinkListCookie(services: Services, email: string): string {
  return seal(services, JSON.stringify({ email, expiresAt: services.clock.nowMs() + LIST_LIFETIME_MS }), COOKIE_CONTEXT)
}

/** Returns the confirmed email address in a cookie; null if there is no cookie or it has expired. */
export function readLinkListCookie(services: Services, cookie: string | null): string | null {
  const text = cookie === null ? null : unseal(services, cookie, COOKIE_CONTEXT)
  if (text === null) return null
  const { email, expiresAt } = JSON.parse(text) as { email: string; expiresAt: number }
  return expiresAt > services.clock.nowMs() ? email : null
}
