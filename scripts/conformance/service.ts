/** A service that is to be asked, wherever it runs. */
export interface Service {
  request(method: string, target: string, body?: unknown, options?: RequestOptions): Promise<Answer>
}

export interface RequestOptions {
  /** Another key than the usual one; null for none. */
  key?: string | null | undefined
  headers?: Record<string, string>
}

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire is judged, whatever it is.
  body: any
  headers: Headers
}

/** Sends one request. A text is sent as it is, so that it can be anything; every other body as JSON. */
export async function ask(
  baseUrl: string,
  method: string,
  target: string,
  body?: unknown,
  { key, headers }: RequestOptions = {},
): Promise<Answer> {
  const response = await fetch(baseUrl + target, {
    method,
    headers: {
      ...(typeof key === 'string' && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers }
}

/** The options of a request, with the usual key where they name no other and do not say none. */
export function withKey(usual: string, options: RequestOptions = {}): RequestOptions {
  return { ...options, key: options.key === undefined ? usual : options.key }
}

/** The longest that an answer is waited for, in ms. */
const ANSWER_MS = 60_000

/**
 * A service behind its address. Its limits are obeyed: where it says to come back later, that is when the request is sent
 * again, and `onWait` is told for how many seconds.
 */
export function remoteService(baseUrl: string, key: string, onWait: (seconds: number) => void): Service {
  return {
    async request(method, target, body, options) {
      for (;;) {
        const answer = await ask(baseUrl, method, target, body, withKey(key, options))
        if (answer.status !== 429) return answer
        const seconds = Number(answer.headers.get('retry-after') ?? 1)
        // The quota of a day is not waited for.
        if (!(seconds <= MOST_WAIT_S)) return answer
        onWait(seconds)
        await new Promise((next) => setTimeout(next, Math.max(seconds, 1) * 1000))
      }
    },
  }
}

const MOST_WAIT_S = 120
