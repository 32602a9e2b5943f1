import { createHmac } from 'node:crypto'
import { createClient } from './index.ts'
import { orThrow, PlumblineError } from './problem.ts'

/**
 * Options for receiving webhooks in a program that has no public URL. The client reads events as they happen and posts
 * each event to a local URL. The body, headers, and signature are the same as in requests from the service.
 */
export interface ListenOptions {
  baseUrl: string
  key: string
  /** The URL to which events are posted, such as `http://localhost:4000/hook`. */
  to: string
  /** The signing secret: `whsec_…`, or any other text. */
  secret: string
  /** The event types to forward. Defaults to every event that the key may read. */
  types?: readonly string[]
  /** The ID of the event after which forwarding starts. By default, forwarding starts with the next new event. */
  after?: string
  signal: AbortSignal
  say: (line: string) => void
}

/** An event in the list of events: the body of a webhook, with a sequence number. */
interface ListedEvent {
  id: string
  type: string
  sequence: number | null
}

const WAIT_SECONDS = 30
/**
 * The timeout of an attempt. It is longer than the service waits for events, so an attempt is aborted only if the
 * service no longer responds.
 */
const TIMEOUT_SECONDS = 45
const PAGE_SIZE = 100
const PAUSE_MS = 2000

/** Returns the requested types that do not exist, and all existing types. */
export async function findUnknownEventTypes(
  asked: readonly string[],
  { signal, ...options }: Pick<ListenOptions, 'baseUrl' | 'key' | 'signal'>,
): Promise<{ unknown: string[]; known: string[] }> {
  const { data } = await orThrow(createListenClient(options).GET('/api/ext/event-types', { signal }))
  const known = data.map(({ type }): string => type)
  return { unknown: asked.filter((type) => !known.includes(type)), known }
}

/**
 * Forwards events until the signal aborts. Throws if the service rejects the key or the ID of the event after which to
 * start.
 */
export async function listenForEvents({ to, secret, types, signal, say, ...options }: ListenOptions): Promise<void> {
  const client = createListenClient(options)
  let after = options.after ?? (await findNewestEventId(client, signal))
  say(`Ready: new events are forwarded to ${to}.`)
  while (!signal.aborted) {
    const query = { limit: PAGE_SIZE, wait: WAIT_SECONDS, ...(after !== undefined && { after }) }
    const page = await orThrow(client.GET('/api/ext/events', { params: { query }, signal })).catch((error: unknown) => {
      if (signal.aborted) return null
      // A rejection is final, but an unavailable service may become available again.
      if (error instanceof PlumblineError && error.status >= 400 && error.status < 500 && error.status !== 429)
        throw error
      say(`The service is not responding: ${describeReason(error)}. Trying again.`)
      return null
    })
    if (page === null) await delay(PAUSE_MS, signal)
    for (const event of page?.data ?? []) {
      if (signal.aborted) return
      if (types === undefined || types.includes(event.type)) await forwardEvent(event, { to, secret, say })
      after = event.id
    }
  }
}

/**
 * Sends a past event again. The request has the event's original ID, like every delivery attempt. Returns false if the
 * receiver did not accept the event.
 */
export async function replayEvent(
  id: string,
  { to, secret, say, signal, ...options }: ListenOptions,
): Promise<boolean> {
  const params = { path: { eventId: id } }
  const event = await orThrow(createListenClient(options).GET('/api/ext/events/{eventId}', { params, signal }))
  return forwardEvent(event, { to, secret, say })
}

function createListenClient({ baseUrl, key }: Pick<ListenOptions, 'baseUrl' | 'key'>) {
  return createClient({ baseUrl, key, retry: { timeoutSeconds: TIMEOUT_SECONDS } })
}

async function findNewestEventId(
  client: ReturnType<typeof createListenClient>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const query = { sort: '-sequence', limit: 1 } as const
  return (await orThrow(client.GET('/api/ext/events', { params: { query }, signal }))).data[0]?.id
}

/** The time in milliseconds for which the service waits for a receiver to respond. */
const RECEIVER_MS = 10_000

async function forwardEvent(
  { sequence: _, ...event }: ListedEvent,
  { to, secret, say }: Pick<ListenOptions, 'to' | 'secret' | 'say'>,
): Promise<boolean> {
  const body = JSON.stringify(event)
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = signBody(`${event.id}.${timestamp}.${body}`, secret)
  const begun = performance.now()
  const told = (outcome: string) =>
    say(`${event.id} ${event.type} → ${outcome} (${Math.round(performance.now() - begun)} ms)`)
  try {
    const { status, body: answer } = await fetch(to, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'user-agent': 'Plumbline-Listen/1' },
        ...{ 'webhook-id': event.id, 'webhook-timestamp': timestamp },
        ...{ 'webhook-signature': signature, 'x-webhook-signature': signature },
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(RECEIVER_MS),
    })
    await answer?.cancel()
    told(String(status))
    return status >= 200 && status < 300
  } catch (error) {
    told(describeReason(error))
    return false
  }
}

const PREFIX = 'whsec_'

/**
 * Signs according to Standard Webhooks. The key is the part after `whsec_`, decoded from base64. For any other secret,
 * the key is the UTF-8 bytes of the secret.
 */
function signBody(signed: string, secret: string): string {
  const key = secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret)
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

function describeReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // When fetch fails, the actual reason is in the error's cause.
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(end, ms)
    function end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      done()
    }
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
