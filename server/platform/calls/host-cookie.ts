/**
 * Returns the full name of a cookie of this service. On HTTPS, the name has the prefix `__Host-`. Browsers accept such
 * a cookie only over HTTPS and only from this host, so no other host in the domain can set it. Without HTTPS, for
 * example on http://localhost, browsers reject the prefix, so the name has none.
 */
export function toHostCookieName(name: string, publicUrl: string): string {
  return isHttps(publicUrl) ? `__Host-${name}` : name
}

export function isHttps(publicUrl: string): boolean {
  return new URL(publicUrl).protocol === 'https:'
}

/** Returns the value of a cookie in a `Cookie` or `Set-Cookie` header; null if the cookie is missing or empty. */
export function readCookie(cookies: string | undefined, fullName: string): string | null {
  for (const pair of (cookies ?? '').split(';')) {
    const [name = '', value = ''] = pair.trim().split(/=(.*)/s)
    if (name === fullName && /^\S+$/.test(value)) return value
  }
  return null
}
