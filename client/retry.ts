import { retryAfterSeconds } from './problem.ts'

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
  /**
   * The longest that all waits of one request may take together; after that the caller gets the refusal. 60 s by default.
   */
  totalWaitSeconds?: number
  /** How long one attempt may take, including reading the body; 30 s by default. */
  timeoutSeconds?: number
  /** Called before each wait, to log it or to count it. */
  onRetry?: (retry: Retry) => void
}

/** A request that is about to be sent again. */
export interface Retry {
  method: string
  url: string
  /** Which repeat it is, from 1. */
  attempt: number
  /** Whole milliseconds. */
  waitMs: number
  /** The answer that is not the last word; null if there was none. */
  response: Response | null
  /** Why there was no answer; null if there was one. */
  error: unknown
}

/** Why there is no key to send a request with. Whoever gives the keys knows whether to try again. */
export class NoKey {
  readonly reason: unknown

  constructor(reason: unknown) {
    this.reason = reason
  }
}

export function retrying(
  send: (request: Request, init: { signal: AbortSignal }) => Promise<Response>,
  { retries = 4, longestWaitSeconds = 60, totalWaitSeconds = 60, timeoutSeconds = 30, onRetry }: RetryOptions,
): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method === 'POST' && !request.headers.has(KEY)) request.headers.set(KEY, newKey())
    let waitedMs = 0
    for (let repeats = 0; ; repeats++) {
      let response: Response | undefined
      let failure: unknown = null
      try {
        const timeout = AbortSignal.timeout(timeoutSeconds * 1000)
        response = await send(request.clone(), { signal: AbortSignal.any([request.signal, timeout]) })
        // Read here, so that a connection that breaks in the middle of the body counts as failed.
        const text = await response.clone().text()
        if (repeats >= retries || !isWorthRepeating(request, response, text)) return response
      } catch (error) {
        if (error instanceof NoKey) throw error.reason
        if (repeats >= retries || request.signal.aborted || !isRepeatable(request)) throw error
        failure = error
      }
      const ms = Math.round(waitMs(response?.headers, repeats))
      waitedMs += ms
      // The seconds above are the spread, which is ours and not asked for by the service.
      if (ms > longestWaitSeconds * 1000 + SPREAD_MS || waitedMs > totalWaitSeconds * 1000 + SPREAD_MS) {
        if (response === undefined) throw failure
        return response
      }
      const { method, url } = request
      onRetry?.({ method, url, attempt: repeats + 1, waitMs: ms, response: response ?? null, error: failure })
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
