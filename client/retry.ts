import { readRetryAfterSeconds } from './problem.ts'

/**
 * Options of a fetch function that retries failed requests, unless a retry could perform a change twice.
 *
 * A 429 or 503 means that the service did nothing, so any request may be repeated. If the connection failed or a
 * gateway responded, the outcome is unknown. A POST is then repeated, because it has an Idempotency-Key. GET, PATCH,
 * and DELETE are repeated, because repeating them has no further effect. A change with If-Match is not repeated: if the
 * first attempt succeeded, the ETag has changed and the repeat would fail. In this case, the caller must check the
 * record.
 */
export interface RetryOptions {
  /** The maximum number of repeats of a request. Defaults to 4; 0 turns off retries. */
  retries?: number
  /**
   * The maximum length of a single wait, in seconds. If the service requests a longer wait, the caller gets the error.
   * Defaults to 60.
   */
  longestWaitSeconds?: number
  /**
   * The maximum total time that one request waits between attempts, in seconds. After this time, the caller gets the
   * error. Defaults to 60.
   */
  totalWaitSeconds?: number
  /** The timeout of one attempt in seconds, including reading the body. Defaults to 30. */
  timeoutSeconds?: number
  /** Called before each wait, for logs or counters. */
  onRetry?: (retry: Retry) => void
}

/** Describes a request that is about to be sent again. */
export interface Retry {
  method: string
  url: string
  /** The number of the repeat, starting at 1. */
  attempt: number
  /** The wait in whole milliseconds. */
  waitMs: number
  /** The response that caused the retry; null if there was no response. */
  response: Response | null
  /** The error that caused the retry; null if there was a response. */
  error: unknown
}

/** Signals that no key is available for a request. The function that supplies keys decides whether to try again. */
export class KeyUnavailableSignal {
  readonly reason: unknown

  constructor(reason: unknown) {
    this.reason = reason
  }
}

export function createRetryingSend(
  send: (request: Request, init: { signal: AbortSignal }) => Promise<Response>,
  { retries = 4, longestWaitSeconds = 60, totalWaitSeconds = 60, timeoutSeconds = 30, onRetry }: RetryOptions,
): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method === 'POST' && !request.headers.has(KEY_HEADER)) request.headers.set(KEY_HEADER, createKey())
    let waitedMs = 0
    for (let repeats = 0; ; repeats++) {
      let response: Response | undefined
      let failure: unknown = null
      try {
        const timeout = AbortSignal.timeout(timeoutSeconds * 1000)
        response = await send(request.clone(), { signal: AbortSignal.any([request.signal, timeout]) })
        // Reads the body here, so that an attempt fails if the connection breaks while the body arrives.
        const text = await response.clone().text()
        if (repeats >= retries || !shouldRepeat(request, response, text)) return response
      } catch (error) {
        if (error instanceof KeyUnavailableSignal) throw error.reason
        if (repeats >= retries || request.signal.aborted || !isRepeatable(request)) throw error
        failure = error
      }
      const ms = Math.round(computeWaitMs(response?.headers, repeats))
      waitedMs += ms
      // The limits do not include the random part of the wait, because the service did not request it.
      if (ms > longestWaitSeconds * 1000 + JITTER_MS || waitedMs > totalWaitSeconds * 1000 + JITTER_MS) {
        if (response === undefined) throw failure
        return response
      }
      const { method, url } = request
      onRetry?.({ method, url, attempt: repeats + 1, waitMs: ms, response: response ?? null, error: failure })
      await delay(ms, request.signal)
    }
  }
}

const KEY_HEADER = 'Idempotency-Key'

// crypto.randomUUID is missing in pages that were not loaded over HTTPS.
function createKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function shouldRepeat(request: Request, { status }: Response, text: string): boolean {
  if (status === 429 || status === 503) return true
  if (status === 502 || status === 504) return isRepeatable(request)
  return status === 409 && text.includes('"idempotency_in_progress"')
}

function isRepeatable({ headers }: Request): boolean {
  return !headers.has('If-Match')
}

const FIRST_WAIT_MS = 250
const MAX_BACKOFF_MS = 8000
const JITTER_MS = 1000

/**
 * Returns the number of milliseconds to wait before the next attempt. If the response specifies a time, adds up to a
 * second to it, so that clients that were rejected at the same time do not retry at the same time. Otherwise, the wait
 * doubles with each repeat and is reduced by a random part of up to half.
 */
export function computeWaitMs(headers: Headers | undefined, repeats: number, random = Math.random()): number {
  const asked = headers && (readRetryAfterSeconds(headers) ?? secondsUntilRenewal(headers))
  if (asked !== undefined) return asked * 1000 + random * JITTER_MS
  return Math.min(FIRST_WAIT_MS * 2 ** repeats, MAX_BACKOFF_MS) * (0.5 + random / 2)
}

/**
 * Returns the number of seconds until every exhausted limit is renewed, read from `RateLimit: "minute";r=0;t=42,
 * "day";r=9000;t=8000`.
 */
function secondsUntilRenewal(headers: Headers): number | undefined {
  const usedUp = (headers.get('RateLimit') ?? '').split(',').filter((limit) => /;\s*r=0\b/.test(limit))
  const seconds = usedUp.flatMap((limit) => /;\s*t=(\d+)/.exec(limit)?.[1] ?? []).map(Number)
  return seconds.length > 0 ? Math.max(...seconds) : undefined
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
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
