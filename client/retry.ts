/**
 * A fetch that retries whatever can be retried without doing anything twice.
 *
 * A 429 or 503 means that the service did nothing, so any request may be repeated. When the connection failed, or a
 * gateway answered instead, nobody knows. A POST is repeated anyway because it carries an Idempotency-Key, and GET,
 * PATCH and DELETE because doing them twice has the same effect as doing them once. The exception is a change with
 * If-Match: if the first attempt went through, its own change would make the repeat fail, so the caller has to look.
 */
export interface RetryOptions {
  /** How many times a request is resent at most; 4 by default, 0 for never. */
  retries?: number
  /** The longest wait to accept. If the service asks for more, the caller gets the refusal. 60 s by default. */
  longestWaitSeconds?: number
  /** How long one attempt may take, including reading the body; 30 s by default. */
  timeoutSeconds?: number
}

export function retrying(
  send: typeof fetch,
  { retries = 4, longestWaitSeconds = 60, timeoutSeconds = 30 }: RetryOptions,
): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method === 'POST' && !request.headers.has(KEY)) request.headers.set(KEY, newKey())
    for (let repeats = 0; ; repeats++) {
      let response: Response | undefined
      try {
        const timeout = AbortSignal.timeout(timeoutSeconds * 1000)
        response = await send(request.clone(), { signal: AbortSignal.any([request.signal, timeout]) })
        // Read here, so that a connection that breaks in the middle of the body counts as failed.
        const text = await response.clone().text()
        if (repeats >= retries || !isWorthRepeating(request, response, text)) return response
      } catch (error) {
        if (repeats >= retries || request.signal.aborted || !isRepeatable(request)) throw error
      }
      const ms = waitMs(response?.headers, repeats)
      // `response` is always set here: without one the wait is short.
      if (response !== undefined && ms > (longestWaitSeconds + 1) * 1000) return response
      await pause(ms, request.signal)
    }
  }
}

const KEY = 'Idempotency-Key'

// crypto.randomUUID is missing in pages that were not loaded over HTTPS.
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function isWorthRepeating(request: Request, { status }: Response, text: string): boolean {
  if (status === 429 || status === 503) return true
  if (status === 502 || status === 504) return isRepeatable(request)
  return status === 409 && text.includes('"idempotency_in_progress"')
}

function isRepeatable({ headers }: Request): boolean {
  return !headers.has('If-Match')
}

const FIRST_WAIT_MS = 250
const LONGEST_BACKOFF_MS = 8000
const SPREAD_MS = 1000

/**
 * How long to wait before the next attempt. If the answer names a time, that time plus up to a second, so that clients
 * refused together do not all return together. Otherwise the wait doubles each time, and lasts between half and all of
 * that.
 */
export function waitMs(headers: Headers | undefined, repeats: number, random = Math.random()): number {
  const asked = headers && (retryAfterSeconds(headers) ?? renewalSeconds(headers))
  if (asked !== undefined) return asked * 1000 + random * SPREAD_MS
  return Math.min(FIRST_WAIT_MS * 2 ** repeats, LONGEST_BACKOFF_MS) * (0.5 + random / 2)
}

function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('Retry-After') ?? ''
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(seconds, 0)
}

/**
 * The seconds until the last of the used-up limits is renewed, from `RateLimit: "minute";r=0;t=42,
 * "day";r=9000;t=8000`.
 */
function renewalSeconds(headers: Headers): number | undefined {
  const usedUp = (headers.get('RateLimit') ?? '').split(',').filter((limit) => /;\s*r=0\b/.test(limit))
  const seconds = usedUp.flatMap((limit) => /;\s*t=(\d+)/.exec(limit)?.[1] ?? []).map(Number)
  return seconds.length > 0 ? Math.max(...seconds) : undefined
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
