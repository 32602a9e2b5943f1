import { cookieValue, hostCookieName } from '../calls/host-cookie.ts'

/** The name of the session cookie of a service at this address. */
export function sessionCookieName(publicUrl: string): string {
  return hostCookieName('plumbline_session', publicUrl)
}

/** The value of the session cookie among the cookies of a request; null if there is none. */
export function sessionCookieOf(cookies: string | undefined, publicUrl: string): string | null {
  return cookies === undefined ? null : cookieValue(cookies, sessionCookieName(publicUrl))
}
