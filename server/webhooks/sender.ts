import { Agent, type Dispatcher } from 'undici'
import type { Clock } from '../clock.ts'
import { connector, DestinationRefused, isPublic, type Resolve } from './destination.ts'
import { readRetryAfter } from './retry-schedule.ts'

/**
 * One attempt: a POST, and what came of it. Never throws; every way to fail is an outcome.
 *
 * From the first byte towards the receiver to the last of its answer's headers an attempt has 10 seconds; what it answers
 * after that is not waited for. A redirect is an answer like any other that is not 2xx. Of the body the first kilobyte is
 * read, and the connection is closed when there is more than a little beyond; of what a private network answers none of it
 * is kept.
 */
export interface Outcome {
  kind: 'succeeded' | 'rejected' | 'timed_out' | 'unreachable' | 'refused'
  startedAtMs: number
  durationMs: number
  /** From the start to the first byte towards the receiver; null when it did not come to that. */
  sentAfterMs: number | null
  responseStatus: number | null
  responseBody: string | null
  error: string | null
  retryAfterMs: number | null
}

export interface Attempt {
  url: string
  headers: Record<string, string>
  body: Buffer
}

export interface Sender {
  send(attempt: Attempt): Promise<Outcome>
  close(): Promise<void>
}

const TIMEOUT_MS = 10_000
const KEPT_BYTES = 1024
/** Reading so much more keeps a connection; beyond it a new one is cheaper. */
const READ_BYTES = 16 * 1024

/**
 * Connections are kept for the next event, but let go before the receiver does (Node closes after 5 s), because a request
 * that meets a closing connection counts as a failure.
 */
const KEEP_ALIVE_MS = 2500

/** What a sender may do, and what stands in for the world in tests. */
export interface SenderOptions {
  allowPrivate: boolean
  resolve?: Resolve | undefined
  /** Whether what is answered from an address may be kept. */
  isShown?(address: string): boolean
}

export function sender(clock: Clock, { allowPrivate, resolve, isShown = isPublic }: SenderOptions): Sender {
  const hidden = new HiddenOrigins()
  const agent = new Agent({
    connect: connector({
      ...{ allowPrivate, resolve, timeoutMs: TIMEOUT_MS },
      connected(origin, address) {
        if (!isShown(address)) hidden.add(origin)
      },
    }),
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // The one timer below stands over all of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    send: (attempt) => new Promise((done) => run(agent, clock, hidden, attempt, done)),
    close: () => agent.destroy(),
  }
}

/**
 * Where connections led to a private network at any time. What is answered there is nobody's to read through us, not even
 * when the next connection leads elsewhere, because which connection an answer came over is not told.
 */
class HiddenOrigins {
  readonly #origins = new Set<string>()

  add(origin: string): void {
    if (this.#origins.size < MOST_ORIGINS) this.#origins.add(origin)
  }

  // Of more than can be remembered, nothing is shown.
  has(origin: string): boolean {
    return this.#origins.size === MOST_ORIGINS || this.#origins.has(origin)
  }
}

const MOST_ORIGINS = 10_000

function run(
  agent: Agent,
  clock: Clock,
  hidden: HiddenOrigins,
  attempt: Attempt,
  done: (outcome: Outcome) => void,
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

  const timer = setTimeout(() => end('timed_out', 'The receiver did not answer within 10 seconds.'), TIMEOUT_MS)

  function end(kind: Outcome['kind'], error: string): void {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    const body = hidden.has(new URL(attempt.url).origin) ? '' : bodyOf(chunks)
    const isSuccess = status !== null && status >= 200 && status <= 299
    done({
      kind: status === null ? kind : isSuccess ? 'succeeded' : 'rejected',
      startedAtMs,
      durationMs: answeredMs ?? performance.now() - started,
      sentAfterMs,
      responseStatus: status,
      responseBody: body === '' ? null : body,
      error: isSuccess ? null : status === null ? error : `The receiver answered ${status}.`,
      retryAfterMs: isSuccess ? null : readRetryAfter(retryAfter, clock.nowMs()),
    })
    controller?.abort(new Error('The attempt is over.'))
  }

  try {
    const { origin, pathname, search } = new URL(attempt.url)
    agent.dispatch(
      { origin, path: pathname + search, method: 'POST', headers: attempt.headers, body: attempt.body },
      {
        onRequestStart(request) {
          // A connection that came too late is not used any more.
          if (isOver) return request.abort(new Error('The attempt is over.'))
          controller = request
          sentAfterMs = performance.now() - started
        },
        onResponseStart(_controller, statusCode, headers) {
          // 1xx announces the answer and is none.
          if (statusCode < 200) return
          status = statusCode
          answeredMs = performance.now() - started
          const header = headers['retry-after']
          retryAfter = Array.isArray(header) ? header[0] : header
        },
        onResponseData(_controller, chunk) {
          if (received < KEPT_BYTES) chunks.push(chunk.subarray(0, KEPT_BYTES - received))
          received += chunk.length
          if (received > READ_BYTES) end('rejected', '')
        },
        onResponseEnd() {
          controller = null
          end('rejected', '')
        },
        onResponseError(_controller, error) {
          controller = null
          end(error instanceof DestinationRefused ? 'refused' : 'unreachable', reasonOf(error))
        },
      },
    )
  } catch (error) {
    end('unreachable', reasonOf(error as Error))
  }
}

// Cut in the middle of a character, the last one is dropped; a zero cannot be kept in a text column.
function bodyOf(chunks: Buffer[]): string {
  return Buffer.concat(chunks)
    .toString('utf8')
    .replaceAll('\0', '')
    .replace(/\uFFFD$/, '')
}

const LONGEST_REASON = 500

function reasonOf(error: Error): string {
  const first = error instanceof AggregateError ? error.errors[0] : undefined
  const { message, code } = (first ?? error) as Error & { code?: string }
  return (message || code || 'The connection failed.').replaceAll('\0', '').slice(0, LONGEST_REASON)
}
