import type { EventObjectLink, EventType, webhooks } from './contract.gen.ts'

/**
 * Types and functions for receivers of webhooks. They verify that a request came from Plumbline, was not changed, and
 * is recent. Signatures follow Standard Webhooks. The code has no dependencies and runs wherever WebCrypto exists:
 * Node, Deno, Bun, workers, and edge runtimes.
 *
 *     const event = await verifyWebhook({ headers: request.headers, body: await request.text() }, secret)
 *     if (event.type === 'bid.submitted') console.log(event.data.object)
 */

type Payload<Type extends EventType> = webhooks[Type]['post']['requestBody']['content']['application/json']
type Either<Type extends EventType> = Payload<Type>['data']['object']

/** A link that replaces a resource larger than 256 kB. The resource can be read at the link's URL. */
export type EventLink = EventObjectLink
/** The resource in an event of this type. */
export type EventObject<Type extends EventType> = Exclude<Either<Type>, EventLink>
/** The old values of the changed fields; null if the record did not exist before. */
export type EventPrevious<Type extends EventType> = Partial<EventObject<Type>> | null

/** An event of this type. */
export type EventOf<Type extends EventType> = Omit<Payload<Type>, 'data'> & {
  data: { object: Either<Type>; previous: EventPrevious<Type> }
}

/**
 * Any event, distinguished by `type`. `data.object` is the resource or, if the resource is large, a link to it; see
 * `objectOf`.
 */
export type WebhookEvent = { [Type in EventType]: EventOf<Type> }[EventType]

/**
 * Returns the resource of an event, with the type that belongs to the event's type; null if the resource was too large
 * to send and must be read at `data.object.url`.
 *
 *     if (event.type === 'bid.submitted') console.log(objectOf(event)?.amount)
 */
export function objectOf<Type extends EventType>(event: EventOf<Type>): EventObject<Type> | null {
  const { object } = event.data
  const names = Object.keys(object)
  return names.length === 2 && names.includes('url') ? null : (object as EventObject<Type>)
}

export interface WebhookRequest {
  /** The headers of the request, in the form of Fetch, Node's `http`, or Express. */
  headers: { get(name: string): string | null } | Record<string, string | string[] | undefined>
  /** The body exactly as received, before any parsing. */
  body: string | Uint8Array
}

export interface VerifyOptions {
  /**
   * The maximum difference in seconds between the request's timestamp and this machine's clock, in either direction.
   * Defaults to 300.
   */
  toleranceSeconds?: number
  /** The current time. Tests can set it. */
  now?: Date
}

export type WebhookFault = 'missing_header' | 'wrong_timestamp' | 'wrong_signature' | 'wrong_body'

/** Thrown for a request that cannot be trusted; `fault` is the reason. Respond with 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly fault: WebhookFault

  constructor(fault: WebhookFault, message: string) {
    super(message)
    this.fault = fault
  }
}

const TOLERANCE_SECONDS = 300

/**
 * Returns the event of a request after verifying that the service sent it.
 *
 * @param secret the subscription's secret, or several during a rotation
 * @throws WebhookVerificationError if the signature is missing or wrong, if the request is more than five minutes old,
 *   or if its ID differs from the ID of the event in the body
 */
export async function verifyWebhook(
  { headers, body }: WebhookRequest,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const given = readHeader(headers, 'webhook-signature', 'x-webhook-signature')

  const seconds = /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  const ageSeconds = now.getTime() / 1000 - seconds
  if (!(Math.abs(ageSeconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError('wrong_timestamp', 'The timestamp of the request is too old or in the future.')
  }

  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = concatBytes(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  if (!(await isSigned(signed, given, typeof secret === 'string' ? [secret] : secret))) {
    throw new WebhookVerificationError('wrong_signature', 'No signature matches the request body and the secret.')
  }

  const event = parseEvent(bytes)
  if (event?.id !== id)
    throw new WebhookVerificationError('wrong_body', 'The event ID in the body does not match the webhook-id header.')
  return event
}

async function isSigned(signed: Uint8Array<ArrayBuffer>, given: string, secrets: readonly string[]): Promise<boolean> {
  const signatures = given.split(' ').flatMap((part) => {
    const [version, text] = part.split(',')
    const bytes = version === 'v1' && text !== undefined ? decodeBase64(text) : null
    return bytes === null ? [] : [bytes]
  })
  for (const secret of secrets) {
    const raw = importableKey(secret)
    if (raw === null || raw.length === 0) continue
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    for (const signature of signatures) {
      // The verification takes the same time for every wrong signature, so the time reveals nothing about the secret.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true
    }
  }
  return false
}

const PREFIX = 'whsec_'

function importableKey(secret: string): Uint8Array<ArrayBuffer> | null {
  return secret.startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length)) : new TextEncoder().encode(secret)
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

function concatBytes(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}

// The signature proves that the sender knows the secret, but the sender may be a test that signs any text, even `null`.
// The body is accepted as an event if it contains the signed ID. The contract guarantees the rest of its form.
function parseEvent(bytes: Uint8Array): WebhookEvent | null {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent | null
  } catch {
    throw new WebhookVerificationError('wrong_body', 'The request body is not valid JSON.')
  }
}

function readHeader(headers: WebhookRequest['headers'], ...names: string[]): string {
  for (const name of names) {
    const value = typeof headers.get === 'function' ? headers.get(name) : readPlainHeader(headers, name)
    if (value) return value
  }
  throw new WebhookVerificationError('missing_header', `The request has no ${names[0]} header.`)
}

function readPlainHeader(headers: object, name: string): string | undefined {
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name) return Array.isArray(value) ? value[0] : value
  }
  return undefined
}
