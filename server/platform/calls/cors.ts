import type { IncomingMessage } from 'node:http'

/**
 * Which pages of other origins may call, by `CORS_ORIGINS`; none unless it names them. Cookies are never asked for, so
 * such a page can do what the key or token that it sends can do, and nothing by the session of whoever looks at it. What
 * only sessions open, and the pages of the service, are out of its reach altogether.
 */
export interface Cors {
  /** What a page may send and read; null where the request is not from a page that may call. */
  headersFor(req: IncomingMessage): Readonly<Record<string, string>> | null
  /** The same for a browser that asks before it sends; null if it does not ask, or may not. */
  preflightFor(req: IncomingMessage): Readonly<Record<string, string>> | null
}

/** Any page may read every header; a credential of its own is all that it can have sent. */
const READABLE = { 'Access-Control-Expose-Headers': '*' }

/** `*` does not stand for `Authorization`, so what may be sent is listed. */
const SENDABLE = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, Range, X-Request-Id',
  // How long the browser need not ask again, in seconds; a changed list takes effect within it.
  'Access-Control-Max-Age': '600',
}

const OPEN = /^\/api\/(ext|portal)\//

/** `*` among the origins lets pages of any origin call. */
export function cors(origins: readonly string[]): Cors {
  const allowed: ReadonlySet<string> = new Set(origins)

  function headersFor({ headers: { origin }, url = '' }: IncomingMessage): Readonly<Record<string, string>> | null {
    if (origin === undefined || allowed.size === 0 || !OPEN.test(url)) return null
    if (allowed.has('*')) return { ...READABLE, 'Access-Control-Allow-Origin': '*' }
    return allowed.has(origin) ? { ...READABLE, 'Access-Control-Allow-Origin': origin, Vary: 'Origin' } : null
  }

  return {
    headersFor,
    preflightFor(req) {
      if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return null
      const headers = headersFor(req)
      return headers === null ? null : { ...headers, ...SENDABLE }
    },
  }
}

/** Whether this is an origin as browsers write it: a scheme and a host, and a port unless it is the usual one. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text
}
