import type { Agent, Dispatcher } from 'undici'
import type { Clock } from '../runtime/clock.ts'
import { createConnector, DestinationRejectedError, isPublicAddress } from './destination.ts'
import type { Resolve } from './name-resolution.ts'
import { parseRetryAfter } from './retry-schedule.ts'

/**
 * The outcome of one attempt, which is a POST request. An attempt never throws, because every failure is also an
 * outcome.
 *
 * An attempt can take up to 10 seconds from the first byte sent to the last response header. A redirect counts as a
 * failure, like every status other than 2xx. The first kilobyte of the response body is stored. If the body is much
 * longer, the connection is closed. Responses from private networks are not stored.
 */
export interface AttemptOutcome {
  kind: 'succeeded' | 'rejected' | 'timed_out' | 'unreachable' | 'refused'
  startedAtMs: number
  durationMs: number
  /** The time in milliseconds from the start until the first byte was sent; null if nothing was sent. */
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
/**
 * The maximum length of a body that is read completely so that the connection can be reused. For a longer body, opening
 * another connection is cheaper.
 */
const MAX_READ_BYTES = 16 * 1024

/**
 * The time in milliseconds for which idle connections stay open for the next event. This time is shorter than that of
 * receivers (5 s for Node), because a request on a connection that the receiver is closing would fail.
 */
const KEEP_ALIVE_MS = 2500

/** The options of a sender, including functions that tests replace. */
export interface SenderOptions {
  allowPrivate: boolean
  resolve?: Resolve | undefined
  /** Returns whether responses from an address may be stored. */
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
      // No limit here, because the timer below covers both timeouts.
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
 * The origins whose name has ever resolved to an address in a private network. Responses from these origins are never
 * stored, not even from a public address, because undici does not report to which connection a response belongs.
 */
class HiddenOrigins {
  readonly #origins = new Set<string>()

  add(origin: string): void {
    if (this.#origins.size < MAX_ORIGINS) this.#origins.add(origin)
  }

  // If the set is full, hides the responses of all origins.
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
          // The attempt ended before the connection was established.
          if (isOver) return request.abort(new Error('The attempt has ended.'))
          controller = request
          sentAfterMs = performance.now() - started
        },
        onResponseStart(_controller, statusCode, headers) {
          // Responses with status 1xx precede the final response.
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

// Removes a character that the size limit has cut in half, and NUL characters, which a text column cannot contain.
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
