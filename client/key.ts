import { KeyUnavailableSignal } from './retry.ts'

/**
 * Returns the key to send now, such as a browser token that a page gets from its own server. The function is called
 * before the first request, and again after the service reports that the key has expired. In between, the last result
 * of the function is used.
 *
 * @param signal aborts after 30 seconds, when no request waits for the result any longer
 */
export type GiveKey = (signal: AbortSignal) => string | Promise<string>

type Send = (request: Request, init: { signal: AbortSignal }) => Promise<Response>

/** The time limit for getting a key. The value is the same as the default timeout of a request attempt. */
const KEY_TIMEOUT_MS = 30_000

/**
 * Sends requests with a key that can change. All requests share one call for a key. If a request was rejected because
 * its key has expired, it is sent once more with the next key. This is safe, because the service has not performed the
 * request.
 */
export function createAuthorizedSend(give: GiveKey, send: Send): Send {
  let held: Promise<string> | null = null

  function ask(): Promise<string> {
    const signal = AbortSignal.timeout(KEY_TIMEOUT_MS)
    const asked = raceSignal(
      signal,
      Promise.resolve().then(() => give(signal)),
    )
    // After a failure, the next request calls the function again.
    asked.catch(() => {
      if (held === asked) held = null
    })
    held = asked
    return asked
  }

  return async (request, init) => {
    for (let isAgain = false; ; isAgain = true) {
      const current = held ?? ask()
      const key = await raceSignal(init.signal, current).catch((error: unknown) => {
        throw init.signal.aborted ? error : new KeyUnavailableSignal(error)
      })
      const own = request.clone()
      own.headers.set('Authorization', `Bearer ${key}`)
      const response = await send(own, init)
      if (isAgain || !(await hasExpired(response))) return response
      // Discards the key unless another request has already replaced it.
      if (held === current) held = null
    }
  }
}

/**
 * If many concurrent requests use an expired key, only the first responses say that it has expired. The other responses
 * have the status 429.
 */
async function hasExpired(response: Response): Promise<boolean> {
  if (response.status !== 401 && response.status !== 429) return false
  const text = await response.clone().text()
  return text.includes('"expired_key"') || text.includes('"too_many_attempts"')
}

/** Returns the promise's outcome. If the signal aborts first, throws the signal's reason. */
function raceSignal<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
