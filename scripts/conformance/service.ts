import http from 'node:http'
import https from 'node:https'

/** A service to which requests are sent, wherever it runs. */
export interface Service {
  request(method: string, target: string, body?: unknown, options?: RequestOptions): Promise<ServiceResponse>
}

export interface RequestOptions {
  /** The key to use instead of the default one; null for no key. */
  key?: string | null | undefined
  headers?: Record<string, string>
}

export interface ServiceResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: any body may arrive, and all of them are judged.
  body: any
  headers: Headers
}

/**
 * Sends one request. Sends a string body unchanged, so that it can have any content, and every other body as JSON. Does
 * not follow redirects. Does not use `fetch`, which would take three times as long for the thousands of requests of a
 * run.
 */
export async function sendRequest(
  baseUrl: string,
  method: string,
  target: string,
  body?: unknown,
  options?: RequestOptions,
): Promise<ServiceResponse> {
  const { headers, body: text } = toSentRequest(body, options)
  const url = new URL(baseUrl + target)
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((done, fail) => {
    const sent = request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', fail)
      response.on('end', () => {
        done(toAnswer(response.statusCode ?? 0, toHeaders(response.rawHeaders), utf8.decode(Buffer.concat(chunks))))
      })
    })
    // The limit also applies if the response arrives slowly, byte by byte.
    const over = setTimeout(() => sent.destroy(new Error(`${method} ${target} got no response.`)), MAX_ANSWER_MS)
    sent.on('close', () => clearTimeout(over))
    sent.on('error', fail)
    sent.end(text)
  })
}

const utf8 = new TextDecoder()

function toHeaders(raw: readonly string[]): Headers {
  const headers = new Headers()
  for (let i = 0; i < raw.length; i += 2) headers.append(raw[i] ?? '', raw[i + 1] ?? '')
  return headers
}

/** Returns the body as text, with the headers for the body and the key. */
function toSentRequest(
  body: unknown,
  { key, headers }: RequestOptions = {},
): { headers: Record<string, string>; body?: string } {
  return {
    headers: {
      ...(typeof key === 'string' && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  }
}

/** Returns the response. Parses its body if it is JSON. */
function toAnswer(status: number, headers: Headers, text: string): ServiceResponse {
  const isJson = /[/+]json(;|$)/.test(headers.get('content-type') ?? '')
  return { status, body: isJson ? JSON.parse(text) : text, headers }
}

/** Adds the default key to the options of a request, unless they contain another key or null. */
export function addDefaultKey(defaults: string, options: RequestOptions = {}): RequestOptions {
  return { ...options, key: options.key === undefined ? defaults : options.key }
}

/** The maximum time until a response is complete. */
const MAX_ANSWER_MS = 60_000

/**
 * Returns a service at a URL. Respects the limits of the service: if a request must wait, calls `onWait` with the
 * number of seconds and sends the request again after that time.
 */
export function connectRemoteService(baseUrl: string, key: string, onWait: (seconds: number) => void): Service {
  return {
    async request(method, target, body, options) {
      for (;;) {
        const response = await sendRequest(baseUrl, method, target, body, addDefaultKey(key, options))
        if (response.status !== 429) return response
        const seconds = Number(response.headers.get('retry-after') ?? 1)
        // Does not wait until a daily quota is renewed.
        if (!(seconds <= MAX_WAIT_S)) return response
        onWait(seconds)
        await new Promise((next) => setTimeout(next, Math.max(seconds, 1) * 1000))
      }
    },
  }
}

const MAX_WAIT_S = 120
