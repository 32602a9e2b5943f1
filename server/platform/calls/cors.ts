import type { IncomingMessage } from 'node:http'

/**
 * The rules for pages of other origins that can call the API. `CORS_ORIGINS` lists these origins; there are none by
 * default. Cookies are never allowed. Therefore, such a page has only the permissions of the API key or token that it
 * sends, and cannot use the session of its visitor. It cannot access endpoints for sessions or the pages of the
 * service.
 */
export interface Cors {
  /** Returns the headers for the response to an allowed page; null for all other requests. */
  headersFor(req: IncomingMessage): Readonly<Record<string, string>> | null
  /** Returns the headers for the response to a preflight request from an allowed page; null for all other requests. */
  preflightFor(req: IncomingMessage): Readonly<Record<string, string>> | null
}

/** An allowed page can read all response headers, because it can only send credentials that it already has. */
const EXPOSED_HEADERS = { 'Access-Control-Expose-Headers': '*' }

/** The allowed headers are listed, because `*` does not include `Authorization`. */
const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, Range, X-Request-Id',
  // The time in seconds for which browsers cache the response. A change of the headers takes effect within this time.
  'Access-Control-Max-Age': '600',
}

const OPEN_PATHS = /^\/api\/(ext|portal)\//

/** Returns the CORS rules for these origins. `*` allows all origins. */
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

/**
 * Returns whether the text is an origin as browsers send it: a scheme, a host, and a port if it is not the default
 * port.
 */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text
}
