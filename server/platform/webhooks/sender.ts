import type { Agent, Dispatcher } from 'undici'
import type { Clock } from '../runtime/clock.ts'
import { createConnector, DestinationRejectedError, isPublicAddress } from './destination.ts'
import type { Resolve } from './name-resolution.ts'
import { parseRetryAfter } from './retry-schedule.ts'

/**
 * Makes one attempt: a POST request and its outcome. Never throws, because every kind of failure is an outcome.
 *
 * From the first byte sent to the last response header, an attempt may take 10 seconds. A redirect is treated like any
 * other response whose status is not 2xx. The first kilobyte of the response body is kept. If much more follows, the
 * connection is closed. A response from a private network is not stored.
 */
export interface AttemptOutcome {
  kind: 'succeeded' | 'rejected' | 'timed_out' | 'unreachable' | 'refused'
  startedAtMs: number
  durationMs: number
  /** Time from the start to the first byte sent, in milliseconds; null if nothing was sent. */
  sentAfterMs: number | null
  responseStatus: number | null
  responseBody: string | null
  error: string | null
  retryAfterMs: number | null
}

export interface AttemptRequest {
  url: string
  headers: Record<string, string>
  body: Buffer
}

export interface Sender {
  send(attempt: AttemptRequest): Promise<AttemptOutcome>
  close(): Promise<void>
}

const TIMEOUT_MS = 10_000
const MAX_STORED_BYTES = 1024
/** Reading a body up to this size keeps the connection usable. For longer bodies, a new connection is cheaper. */
const MAX_READ_BYTES = 16 * 1024

/**
 * Connections are kept for the next event, but closed before the receiver closes them (Node does this after 5 s). A
 * request on a closing connection would count as a failure.
 */
const KEEP_ALIVE_MS = 2500

/** Options of a sender, including the parts that tests replace. */
export interface SenderOptions {
  allowPrivate: boolean
  resolve?: Resolve | undefined
  /** Returns whether responses from an address may be kept. */
  isShown?(address: string): boolean
}

export function createSender(
  clock: Clock,
  { allowPrivate, resolve, isShown = isPublicAddress }: SenderOptions,
): Sender {
  const hidden = new HiddenOrigins()
  // The library uses 5 MB of the heap, so it is loaded when the first webhook is sent.
  let agent: Promise<Agent> | null = null
  async function newAgent(): Promise<Agent> {
    const { Agent, buildConnector } = await import('undici')
    return new Agent({
      connect: createConnector(buildConnector, {
        ...{ allowPrivate, resolve, timeoutMs: TIMEOUT_MS },
        connected(origin, address) {
          if (!isShown(address)) hidden.add(origin)
        },
      }),
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // The timer below covers both timeouts.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }
  return {
    async send(attempt) {
      agent ??= newAgent()
      const opened = await agent
      return new Promise((done) => sendAttempt(opened, clock, hidden, attempt, done))
    },
    close: async () => (await agent)?.destroy(),
  }
}

/**
 * Origins whose name has ever resolved to a private network. The responses of these origins are never shown, even if a
 * later connection reaches a public address, because undici does not report the connection of a response.
 */
class HiddenOrigins {
  readonly #origins = new Set<string>()

  add(origin: string): void {
    if (this.#origins.size < MAX_ORIGINS) this.#origins.add(origin)
  }

  // When the set is full, no responses are shown.
  has(origin: string): boolean {
    return this.#origins.size === MAX_ORIGINS || this.#origins.has(origin)
  }
}

const MAX_ORIGINS = 10_000

function sendAttempt(
  agent: Agent,
  clock: Clock,
  hidden: HiddenOrigins,
  attempt: AttemptRequest,
  done: (outcome: AttemptOutcome) => void,
): void {
  const startedAtMs = clock.nowMs()
  const started = performance.now()
  const chunks: Buffer[] = []
  let received = 0
  let controller: Dispatcher.DispatchController | null = null
  let status: number | null = null
  let sentAfterMs: number | null = null
  let answeredMs: number | null = null
  let retryAfter: string | undefined
  let isOver = false

  const timer = setTimeout(() => end('timed_out', 'The receiver did not respond within 10 seconds.'), TIMEOUT_MS)

  function end(kind: AttemptOutcome['kind'], error: string): void {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    const body = hidden.has(new URL(attempt.url).origin) ? '' : readBody(chunks)
    const isSuccess = status !== null && status >= 200 && status <= 299
    done({
      kind: status === null ? kind : isSuccess ? 'succeeded' : 'rejected',
      startedAtMs,
      durationMs: answeredMs ?? performance.now() - started,
      sentAfterMs,
      responseStatus: status,
      responseBody: body === '' ? null : body,
      error: isSuccess ? null : status === null ? error : `The receiver responded with status ${status}.`,
      retryAfterMs: isSuccess ? null : parseRetryAfter(retryAfter, clock.nowMs()),
    })
    controller?.abort(new Error('The attempt has ended.'))
  }

  try {
    const { origin, pathname, search } = new URL(attempt.url)
    agent.dispatch(
      { origin, path: pathname + search, method: 'POST', headers: attempt.headers, body: attempt.body },
      {
        onRequestStart(request) {
          // The connection was established too late to be used.
          if (isOver) return request.abort(new Error('The attempt has ended.'))
          controller = request
          sentAfterMs = performance.now() - started
        },
        onResponseStart(_controller, statusCode, headers) {
          // A response with status 1xx is only interim.
          if (statusCode < 200) return
          status = statusCode
          answeredMs = performance.now() - started
          const header = headers['retry-after']
          retryAfter = Array.isArray(header) ? header[0] : header
        },
        onResponseData(_controller, chunk) {
          if (received < MAX_STORED_BYTES) chunks.push(chunk.subarray(0, MAX_STORED_BYTES - received))
          received += chunk.length
          if (received > MAX_READ_BYTES) end('rejected', '')
        },
        onResponseEnd() {
          controller = null
          end('rejected', '')
        },
        onResponseError(_controller, error) {
          controller = null
          end(error instanceof DestinationRejectedError ? 'refused' : 'unreachable', describeFailure(error))
        },
      },
    )
  } catch (error) {
    end('unreachable', describeFailure(error as Error))
  }
}

// Drops a character that the size limit cut in half, and NUL characters, which a text column cannot contain.
function readBody(chunks: Buffer[]): string {
  return Buffer.concat(chunks)
    .toString('utf8')
    .replaceAll('\0', '')
    .replace(/\uFFFD$/, '')
}

const MAX_REASON_LENGTH = 500

function describeFailure(error: Error): string {
  const first = error instanceof AggregateError ? error.errors[0] : undefined
  const { message, code } = (first ?? error) as Error & { code?: string }
  return (message || code || 'The connection failed.').replaceAll('\0', '').slice(0, MAX_REASON_LENGTH)
}
