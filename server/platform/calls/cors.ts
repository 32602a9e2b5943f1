import type { IncomingMessage } from 'node:http'

/**
 * The rules for pages from other origins that may call the API, as listed in `CORS_ORIGINS`; none by default. Cookies
 * are never allowed. Such a page therefore has only the permissions of the API key or token that it sends, and cannot
 * use its visitor's session. Endpoints for sessions and the service's own pages are not accessible at all.
 */
export interface Cors {
  /** Returns the headers for a response to an allowed page; null for other requests. */
  headersFor(req: IncomingMessage): Readonly<Record<string, string>> | null
  /** Returns the headers for a preflight request from an allowed page; null for other requests. */
  preflightFor(req: IncomingMessage): Readonly<Record<string, string>> | null
}

/** An allowed page may read every response header, because it can send only its own credential. */
const EXPOSED_HEADERS = { 'Access-Control-Expose-Headers': '*' }

/** `*` does not include `Authorization`, so the allowed headers are listed. */
const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, Range, X-Request-Id',
  // The number of seconds for which the browser caches the preflight response. A changed list takes effect within this
  // time.
  'Access-Control-Max-Age': '600',
}

const OPEN_PATHS = /^\/api\/(ext|portal)\//

/** Returns the CORS rules for these origins. If `*` is one of the origins, all origins are allowed. */
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
 * Returns whether the text is an origin in the form that browsers send: a scheme, a host, and a port unless it is the
 * default port.
 */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text
}
