/** The cookie of a session, by the name that the contract gives it. */
export const COOKIE = 'plumbline_session'

/** The value of the session's cookie among a request's cookies; null if there is none. */
export function sessionCookieOf(cookies: string | undefined): string | null {
  return /(?:^|;\s*)plumbline_session=([^;\s]+)/.exec(cookies ?? '')?.[1] ?? null
}
