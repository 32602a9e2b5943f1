import type { IncomingMessage } from 'node:http'

/**
 * Pages of other origins that may call the API, as listed in `CORS_ORIGINS`; none by default. Cookies are never
 * allowed, so such a page has only the permissions of the key or token that it sends, and cannot use the session of its
 * visitor. Endpoints for sessions and the pages of the service are not accessible at all.
 */
export interface Cors {
  /** Returns the headers for a response to an allowed page; null for other requests. */
  headersFor(req: IncomingMessage): Readonly<Record<string, string>> | null
  /** Returns the headers for a preflight request of an allowed page; null for other requests. */
  preflightFor(req: IncomingMessage): Readonly<Record<string, string>> | null
}

/** An allowed page may read every header, because it can only have sent its own credential. */
const EXPOSED_HEADERS = { 'Access-Control-Expose-Headers': '*' }

/** `*` does not include `Authorization`, so the allowed headers are listed. */
const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, Range, X-Request-Id',
  // Seconds for which the browser caches the preflight. A changed list takes effect within this time.
  'Access-Control-Max-Age': '600',
}

const OPEN_PATHS = /^\/api\/(ext|portal)\//

/** Returns the CORS rules for these origins. `*` among them allows all. */
export function createCors(origins: readonly string[]): Cors {
  const allowed: ReadonlySet<string> = new Set(origins)

  function headersFor({ headers: { origin }, url = '' }: IncomingMessage): Readonly<Record<string, string>> | null {
    if (origin === undefined || allowed.size === 0 || !OPEN_PATHS.test(url)) return null
    if (allowed.has('*')) return { ...EXPOSED_HEADERS, 'Access-Control-Allow-Origin': '*' }
    return allowed.has(origin) ? { ...EXPOSED_HEADERS, 'Access-Control-Allow-Origin': origin, Vary: 'Origin' } : null
  }

  return {
    headersFor,
    preflightFor(req) {
      if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return null
      const headers = headersFor(req)
      return headers === null ? null : { ...headers, ...PREFLIGHT_HEADERS }
    },
  }
}

/** Returns whether this is an origin as browsers write it: a scheme and a host, and a port unless it is the default. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text
}
