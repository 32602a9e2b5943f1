/**
 * Returns the full name of a cookie of this service. On HTTPS it has the prefix `__Host-`: browsers then accept the
 * cookie only over HTTPS, from exactly this host, and for all of its paths, so no other host of the domain can set one.
 * Browsers reject the prefix without HTTPS, as on http://localhost.
 */
export function hostCookieName(name: string, publicUrl: string): string {
  return isHttps(publicUrl) ? `__Host-${name}` : name
}

export function isHttps(publicUrl: string): boolean {
  return new URL(publicUrl).protocol === 'https:'
}

/** Returns the value of a cookie in a `Cookie` or `Set-Cookie` header; null if it is missing or empty. */
export function readCookie(cookies: string | undefined, fullName: string): string | null {
  for (const pair of (cookies ?? '').split(';')) {
    const [name = '', value = ''] = pair.trim().split(/=(.*)/s)
    if (name === fullName && /^\S+$/.test(value)) return value
  }
  return null
}
