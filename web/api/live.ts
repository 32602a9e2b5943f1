import { useEffect, useRef } from 'react'
import { OF_THE_FRAME, useMay } from './caller.ts'
import { client, plumbline } from './plumbline.ts'
import { queries } from './queries.ts'

/** Where nothing is urgent, the page asks this often. */
const AT_EASE_MS = 20_000
/** How long the service holds one request while nothing happens: less than the half minute that some proxies allow. */
const WAIT_SECONDS = 20
/** Where much happens at once, the page is read again no more often than this. */
const BETWEEN_MS = 500
/** After a failure, and where the service lets nobody wait. */
const PAUSE_MS = 1500
/** In one answer; the next brings what lies beyond. */
const EVENTS = 25

/**
 * Keeps what is on the page up to date, whoever changed it. Somebody who watches bids come in sees one a moment after it
 * was sent, because a request waits for it; elsewhere the page asks now and then. A window that nobody looks at does
 * neither.
 */
export function useLive(pace: 'watching' | 'at ease'): void {
  const isAllowed = useMay()('events:read')
  useWatching(isAllowed && pace === 'watching')
  useAsking(isAllowed && pace === 'at ease')
}

function useAsking(isOn: boolean): void {
  const { data } = plumbline.useQuery(
    'get',
    '/api/ext/events',
    { params: { query: { sort: '-sequence', limit: 1 } } },
    { enabled: isOn, staleTime: 0, refetchInterval: AT_EASE_MS, meta: OF_THE_FRAME },
  )
  const newest = data?.data[0]?.id
  const seen = useRef(newest)
  useEffect(() => {
    if (seen.current !== undefined && newest !== undefined && seen.current !== newest) readAgain()
    if (newest !== undefined) seen.current = newest
  }, [newest])
}

function useWatching(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    // Kept while the window is hidden, so that what happens then is seen when somebody looks again.
    const place: Place = {}
    let round = new AbortController()
    const follow = () => {
      round.abort()
      if (document.visibilityState === 'hidden') return
      round = new AbortController()
      void watch(place, round.signal)
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      round.abort()
      document.removeEventListener('visibilitychange', follow)
    }
  }, [isOn])
}

/** The last event that was seen: not known yet, or null where there is none. */
interface Place {
  after?: string | null
}

/** Waits for events and reads the page again, until the signal or the end of the session. */
async function watch(place: Place, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const begun = performance.now()
    try {
      if (place.after === undefined) place.after = await lastEvent(signal)
      const query = { limit: EVENTS, wait: WAIT_SECONDS, ...(place.after !== null && { after: place.after }) }
      const { data, error, response } = await client.GET('/api/ext/events', { params: { query }, signal })
      if (response.status === 401) return
      const last = data?.data.at(-1)
      if (last !== undefined) {
        place.after = last.id
        readAgain()
        await pause(BETWEEN_MS)
      } else if (error !== undefined) {
        // Such as an event that is not kept any more.
        delete place.after
        readAgain()
        await pause(AT_EASE_MS)
      } else if (performance.now() - begun < PAUSE_MS) await pause(PAUSE_MS)
    } catch {
      // The service is away, or the round is over.
      if (!signal.aborted) await pause(PAUSE_MS)
    }
  }
}

async function lastEvent(signal: AbortSignal): Promise<string | null> {
  const query = { sort: '-sequence', limit: 1 } as const
  const { data } = await client.GET('/api/ext/events', { params: { query }, signal })
  if (data === undefined) throw new Error('The last event is not known.')
  return data.data[0]?.id ?? null
}

function readAgain(): void {
  void queries.invalidateQueries({
    // What asks for the newest event would otherwise ask again because of its own answer.
    predicate: ({ queryKey, meta }) =>
      queryKey[0] === 'get' && (queryKey[1] !== '/api/ext/events' || meta?.ofTheFrame !== true),
  })
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms))
}
