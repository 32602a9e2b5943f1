import { useEffect, useRef } from 'react'
import { OF_THE_FRAME, useMay } from './caller.ts'
import { client, plumbline } from './plumbline.ts'
import { queries } from './queries.ts'

/** How often pages without urgent content poll. */
const AT_EASE_MS = 20_000
/** How long the service holds one request while nothing happens. Some proxies allow only half a minute. */
const WAIT_SECONDS = 20
/** The minimum time between two refreshes of the page while many events arrive. */
const BETWEEN_MS = 500
/** The pause after an error, and when the service does not allow waiting requests. */
const PAUSE_MS = 1500
/** The maximum number of events per response; the next response has the rest. */
const EVENTS = 25

/**
 * Keeps the page up to date, whoever changes its data. With `watching`, a long-polling request shows each change, such
 * as an arriving bid, at once. Otherwise the page polls now and then. A hidden window does neither.
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
    // Kept while the window is hidden, so that events from that time are noticed when the window is visible again.
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

/** The last event that was seen: undefined while unknown, null if there are no events. */
interface Place {
  after?: string | null
}

/** Waits for events and refreshes the page, until the signal or the end of the session. */
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
        // For example, the last event is no longer stored.
        delete place.after
        readAgain()
        await pause(AT_EASE_MS)
      } else if (performance.now() - begun < PAUSE_MS) await pause(PAUSE_MS)
    } catch {
      // The service is unavailable, or the round was aborted.
      if (!signal.aborted) await pause(PAUSE_MS)
    }
  }
}

async function lastEvent(signal: AbortSignal): Promise<string | null> {
  const query = { sort: '-sequence', limit: 1 } as const
  const { data } = await client.GET('/api/ext/events', { params: { query }, signal })
  if (data === undefined) throw new Error('The last event is unknown.')
  return data.data[0]?.id ?? null
}

function readAgain(): void {
  void queries.invalidateQueries({
    // The query for the newest event would otherwise trigger itself.
    predicate: ({ queryKey, meta }) =>
      queryKey[0] === 'get' && (queryKey[1] !== '/api/ext/events' || meta?.ofTheFrame !== true),
  })
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms))
}
