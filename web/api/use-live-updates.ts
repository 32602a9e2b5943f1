import { useEffect, useRef } from 'react'
import { client, plumbline } from './plumbline.ts'
import { queryClient } from './query-client.ts'
import { FRAME_QUERY, useCan } from './session.ts'

/** The polling interval of pages that need no immediate updates. */
const SLOW_POLL_MS = 20_000
/**
 * The time in seconds for which the service may delay its response until an event occurs. Some proxies allow only half
 * a minute.
 */
const WAIT_SECONDS = 20
/** The minimum time between two refreshes of the page when many events arrive. */
const MIN_REFRESH_MS = 500
/** The pause after an error, or if the service does not allow waiting requests. */
const PAUSE_MS = 1500
/** The maximum number of events in a response. The next response contains the rest. */
const MAX_EVENTS = 25

/**
 * Keeps the page up to date when any user or program changes its data. With `watching`, the page uses long polling and
 * shows each change immediately, such as a new bid. With `at ease`, it polls from time to time. A hidden window sends
 * no requests.
 */
export function useLiveUpdates(pace: 'watching' | 'at ease'): void {
  const isAllowed = useCan()('events:read')
  useLongPolling(isAllowed && pace === 'watching')
  useSlowPolling(isAllowed && pace === 'at ease')
}

function useSlowPolling(isOn: boolean): void {
  const { data } = plumbline.useQuery(
    'get',
    '/api/ext/events',
    { params: { query: { sort: '-sequence', limit: 1 } } },
    { enabled: isOn, staleTime: 0, refetchInterval: SLOW_POLL_MS, meta: FRAME_QUERY },
  )
  const newest = data?.data[0]?.id
  const seen = useRef(newest)
  useEffect(() => {
    if (seen.current !== undefined && newest !== undefined && seen.current !== newest) refreshPage()
    if (newest !== undefined) seen.current = newest
  }, [newest])
}

function useLongPolling(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    // Keeps the position while the window is hidden, so that the page notices events from that time when the window is
    // visible again.
    const place: EventPosition = {}
    let round = new AbortController()
    const follow = () => {
      round.abort()
      if (document.visibilityState === 'hidden') return
      round = new AbortController()
      void watchEvents(place, round.signal)
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      round.abort()
      document.removeEventListener('visibilitychange', follow)
    }
  }, [isOn])
}

/** The ID of the last event that the page has seen: undefined if it is not known yet, null if there are no events. */
interface EventPosition {
  after?: string | null
}

/** Waits for events and refreshes the page after each, until the signal aborts or the session ends. */
async function watchEvents(place: EventPosition, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const started = performance.now()
    try {
      if (place.after === undefined) place.after = await findLastEventId(signal)
      const query = { limit: MAX_EVENTS, wait: WAIT_SECONDS, ...(place.after !== null && { after: place.after }) }
      const { data, error, response } = await client.GET('/api/ext/events', { params: { query }, signal })
      if (response.status === 401) return
      const last = data?.data.at(-1)
      if (last !== undefined) {
        place.after = last.id
        refreshPage()
        await delay(MIN_REFRESH_MS)
      } else if (error !== undefined) {
        // The position is no longer valid, for example because the last event is no longer stored.
        delete place.after
        refreshPage()
        await delay(SLOW_POLL_MS)
      } else if (performance.now() - started < PAUSE_MS) await delay(PAUSE_MS)
    } catch {
      // The service is unavailable, or the request was aborted.
      if (!signal.aborted) await delay(PAUSE_MS)
    }
  }
}

async function findLastEventId(signal: AbortSignal): Promise<string | null> {
  const query = { sort: '-sequence', limit: 1 } as const
  const { data } = await client.GET('/api/ext/events', { params: { query }, signal })
  if (data === undefined) throw new Error('The last event is unknown.')
  return data.data[0]?.id ?? null
}

function refreshPage(): void {
  void queryClient.invalidateQueries({
    // Does not refresh the query for the newest event. It would otherwise trigger itself.
    predicate: ({ queryKey, meta }) =>
      queryKey[0] === 'get' && (queryKey[1] !== '/api/ext/events' || meta?.ofTheFrame !== true),
  })
}

function delay(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms))
}
