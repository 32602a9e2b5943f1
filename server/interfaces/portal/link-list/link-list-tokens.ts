import type { Services, WriteCall } from '../../../platform/calls/call.ts'
import { createOneTimeToken, readOneTimeToken, seal, spendOneTimeToken, unseal } from './one-time-tokens.ts'

/** The tokens of emailed links to the list of a vendor's portal links, and the cookie that shows the list. */

/** How long the browser shows the list after the confirmation. */
const LIST_LIFETIME_MS = 60 * 60 * 1000

const TOKEN_CONTEXT = 'portal link list'
const COOKIE_CONTEXT = 'portal link list cookie'

/** Creates a one-time token for an address. The builder of the call stores the token's row, and does not see it. */
export function createLinkListToken(call: WriteCall, email: string): Promise<string> {
  return createOneTimeToken(call, TOKEN_CONTEXT, email)
}

/** Returns the address of a token; null if the token is not valid or has expired. Does not use the token up. */
export function readLinkListToken(services: Services, token: string): { email: string } | null {
  const content = readOneTimeToken(services, TOKEN_CONTEXT, token)
  return content === null ? null : { email: content.subject }
}

/** Uses a token up and returns its address; null if the token is not valid, has expired, or was used before. */
export async function spendLinkListToken(services: Services, token: string): Promise<{ email: string } | null> {
  const content = await spendOneTimeToken(services, TOKEN_CONTEXT, token)
  return content === null ? null : { email: content.subject }
}

/** Returns the value of the cookie with which the browser shows the list of a confirmed address. */
export function toLinkListCookie(services: Services, email: string): string {
  return seal(services, JSON.stringify({ email, expiresAt: services.clock.nowMs() + LIST_LIFETIME_MS }), COOKIE_CONTEXT)
}

/** Returns the confirmed address of a cookie; null if there is none or it has expired. */
export function readLinkListCookie(services: Services, cookie: string | null): string | null {
  const text = cookie === null ? null : unseal(services, cookie, COOKIE_CONTEXT)
  if (text === null) return null
  const { email, expiresAt } = JSON.parse(text) as { email: string; expiresAt: number }
  return expiresAt > services.clock.nowMs() ? email : null
}
