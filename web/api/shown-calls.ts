import type { Query } from '@tanstack/react-query'
import { useCallback, useRef, useSyncExternalStore } from 'react'
import { root } from './plumbline.ts'
import { queries } from './queries.ts'

/** A call of an operation, as an integrator would write it. */
export interface ShownCall {
  method: string
  /** The path with its parameters. */
  target: string
  body: unknown
  answer: unknown
  /** When the response arrived; null while the call is in progress. */
  at: number | null
  /** Whether a key could make the call too; `/api/admin` is for users only. */
  isForKeys: boolean
}

/** The keys that openapi-react-query gives queries and mutations. */
type CallKey = readonly [method: string, path: string, init?: CallInit]
interface CallInit {
  params?: { path?: Record<string, unknown>; query?: Record<string, unknown> }
  body?: unknown
}

/**
 * Returns the calls that loaded the page, and the last change, from the caches, so that no page has to report its
 * calls.
 */
export function useShownCalls(): ShownCall[] {
  const kept = useRef<{ mark: string; calls: ShownCall[] }>({ mark: '', calls: [] })
  const read = useCallback(() => {
    const active = queries.getQueryCache().getAll().filter(isOfThePage).sort(mainFirst)
    const changes = queries.getMutationCache().getAll()
    const last = changes.findLast(({ state }) => state.status === 'success')
    const mark = [...active.map((query) => `${query.queryHash}@${query.state.dataUpdatedAt}`), last?.mutationId].join(
      ' ',
    )
    if (mark !== kept.current.mark) {
      const calls = active.map((query) =>
        callOf(query.queryKey as unknown as CallKey, query.state.data, query.state.dataUpdatedAt),
      )
      if (last?.options.mutationKey !== undefined) {
        const [method, path] = last.options.mutationKey as unknown as CallKey
        const init = last.state.variables as CallInit | undefined
        // The response may contain a value that is shown only once, such as a secret.
        calls.push(callOf([method, path, init], undefined, last.state.submittedAt))
      }
      kept.current = { mark, calls }
    }
    return kept.current.calls
  }, [])
  return useSyncExternalStore(listen, read)
}

function listen(changed: () => void): () => void {
  const ends = [queries.getQueryCache().subscribe(changed), queries.getMutationCache().subscribe(changed)]
  return () => {
    for (const end of ends) end()
  }
}

function isOfThePage(query: Query): boolean {
  return query.getObserversCount() > 0 && query.meta?.ofTheFrame !== true && typeof query.queryKey[1] === 'string'
}

/** Marks the main query of a page if the page runs others before it. */
export const MAIN = { main: true }

function mainFirst(a: Query, b: Query): number {
  return Number(b.meta?.main === true) - Number(a.meta?.main === true)
}

function callOf([method, path, init]: CallKey, answer: unknown, at: number): ShownCall {
  return {
    method: method.toUpperCase(),
    target: targetOf(path, init),
    body: init?.body,
    answer,
    at: at === 0 ? null : at,
    isForKeys: path.startsWith('/api/ext/'),
  }
}

function targetOf(path: string, init: CallInit | undefined): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(init?.params?.path?.[name])),
  )
  const query = Object.entries(init?.params?.query ?? {}).filter(([, value]) => value !== undefined)
  const texts = query.map(
    ([name, value]) =>
      `${name}=${[value]
        .flat()
        .map((one) => encodeURIComponent(String(one)))
        .join(',')}`,
  )
  return texts.length === 0 ? filled : `${filled}?${texts.join('&')}`
}

/** Returns the call as a shell command, with the key in a variable. */
export function asCurl({ method, target, body }: ShownCall): string {
  const url = `${location.origin}${root}${target}`
  const parts = [`curl -H "Authorization: Bearer $PLUMBLINE_KEY" '${url}'`]
  if (method !== 'GET') parts[0] = `curl -X ${method} -H "Authorization: Bearer $PLUMBLINE_KEY" '${url}'`
  if (body instanceof File) {
    parts.push("-H 'Content-Type: application/octet-stream'")
    parts.push(`--data-binary '@${quoted(body.name)}'`)
  } else if (body !== undefined) {
    parts.push("-H 'Content-Type: application/json'")
    parts.push(`-d '${quoted(JSON.stringify(body))}'`)
  }
  return parts.join(' \\\n  ')
}

/** Escapes text for single quotes in a shell. */
function quoted(text: string): string {
  return text.replaceAll("'", "'\\''")
}
