import { NoKey } from './retry.ts'

/**
 * Gives the key to send now, such as a browser token that a page gets from its own server. It is asked when the first
 * request is sent, and again once the service says that the key has expired; in between its last answer is used.
 *
 * @param signal ends after 30 seconds, when nobody waits for the answer any more
 */
export type GiveKey = (signal: AbortSignal) => string | Promise<string>

type Send = (request: Request, init: { signal: AbortSignal }) => Promise<Response>

/** As long as an attempt of a request takes at most, unless somebody changes that. */
const LONGEST_ASKING_MS = 30_000

/**
 * Sends requests with a key that changes. All requests share one question for a key, and a request that was refused
 * because its key has expired is sent again once with the next one: the service has done nothing for it.
 */
export function withKeyOf(give: GiveKey, send: Send): Send {
  let held: Promise<string> | null = null

  function ask(): Promise<string> {
    const signal = AbortSignal.timeout(LONGEST_ASKING_MS)
    const asked = until(
      signal,
      Promise.resolve().then(() => give(signal)),
    )
    // What failed is asked for again by the next request.
    asked.catch(() => {
      if (held === asked) held = null
    })
    held = asked
    return asked
  }

  return async (request, init) => {
    for (let isAgain = false; ; isAgain = true) {
      const current = held ?? ask()
      const key = await until(init.signal, current).catch((error: unknown) => {
        throw init.signal.aborted ? error : new NoKey(error)
      })
      const own = request.clone()
      own.headers.set('Authorization', `Bearer ${key}`)
      const response = await send(own, init)
      if (isAgain || !(await hasExpired(response))) return response
      // Unless another request has found out already.
      if (held === current) held = null
    }
  }
}

/** Of many requests with a key that has expired, the service says so to the first ones alone. */
async function hasExpired(response: Response): Promise<boolean> {
  if (response.status !== 401 && response.status !== 429) return false
  const text = await response.clone().text()
  return text.includes('"expired_key"') || text.includes('"too_many_attempts"')
}

/** The promise's outcome, or the reason of a signal that ends first. */
function until<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
