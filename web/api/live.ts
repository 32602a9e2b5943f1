import { useEffect, useRef } from 'react'
import { OF_THE_FRAME, useMay } from './caller.ts'
import { plumbline } from './plumbline.ts'
import { queries } from './queries.ts'

/** Somebody who watches bids come in sees one within two seconds, with 40 small requests a minute. */
const WATCHING_MS = 1500
/** Where nothing is urgent. */
const AT_EASE_MS = 20_000

/**
 * Keeps what is on the page up to date: looks for new events, and reads the page again when there are any, whoever caused
 * them. A window that is not looked at does not ask.
 */
export function useLive(pace: 'watching' | 'at ease'): void {
  const may = useMay()
  const { data } = plumbline.useQuery(
    'get',
    '/api/ext/events',
    { params: { query: { sort: '-sequence', limit: 1 } } },
    {
      ...{ enabled: may('events:read'), staleTime: 0, meta: OF_THE_FRAME },
      refetchInterval: pace === 'watching' ? WATCHING_MS : AT_EASE_MS,
    },
  )
  const newest = data?.data[0]?.id
  const seen = useRef(newest)
  useEffect(() => {
    if (seen.current !== undefined && newest !== undefined && seen.current !== newest) {
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[1] !== '/api/ext/events' && queryKey[0] === 'get',
      })
    }
    if (newest !== undefined) seen.current = newest
  }, [newest])
}
