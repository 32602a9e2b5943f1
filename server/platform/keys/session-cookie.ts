import { hostCookieName, readCookie } from '../calls/host-cookie.ts'

/** Returns the name of the session cookie for a service at this URL. */
export function sessionCookieName(publicUrl: string): string {
  return hostCookieName('plumbline_session', publicUrl)
}

/** Returns the value of the session cookie in a request; null if there is none. */
export function readSessionCookie(cookies: string | undefined, publicUrl: string): string | null {
  return cookies === undefined ? null : readCookie(cookies, sessionCookieName(publicUrl))
}
