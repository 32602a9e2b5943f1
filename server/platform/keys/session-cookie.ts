import { readCookie, toHostCookieName } from '../calls/host-cookie.ts'

/** Returns the name of the session cookie if the service has this URL. */
export function getSessionCookieName(publicUrl: string): string {
  return toHostCookieName('plumbline_session', publicUrl)
}

/** Returns the value of the session cookie in a request; null if there is none. */
export function readSessionCookie(cookies: string | undefined, publicUrl: string): string | null {
  return cookies === undefined ? null : readCookie(cookies, getSessionCookieName(publicUrl))
}
