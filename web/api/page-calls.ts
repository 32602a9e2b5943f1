import type { Query } from '@tanstack/react-query'
import { useCallback, useRef, useSyncExternalStore } from 'react'
import { root } from './plumbline.ts'
import { queryClient } from './query-client.ts'

/** A call of an operation, in the form in which an integrator would write it. */
export interface PageCall {
  method: string
  /** The path, with its parameters filled in. */
  target: string
  body: unknown
  answer: unknown
  /** The time at which the response arrived; null while the call is in progress. */
  at: number | null
  /** Whether an API key could also make this call. Only users can call paths below `/api/admin`. */
  isForKeys: boolean
}

/** The keys of queries and mutations in openapi-react-query. */
type CallKey = readonly [method: string, path: string, init?: CallInit]
interface CallInit {
  params?: { path?: Record<string, unknown>; query?: Record<string, unknown> }
  body?: unknown
}

/**
 * Returns the calls that loaded the page, and the last change. Reads them from the caches, so that pages do not need to
 * report their calls.
 */
export function usePageCalls(): PageCall[] {
  const stored = useRef<{ mark: string; calls: PageCall[] }>({ mark: '', calls: [] })
  const read = useCallback(() => {
    const active = queryClient
      .getQueryCache()
      .getAll()
      .filter((query) => query.isActive() && findCall(query) !== null)
      .sort(compareMainFirst)
    const changes = queryClient.getMutationCache().getAll()
    const last = changes.findLast(({ state }) => state.status === 'success')
    const mark = [...active.map((query) => `${query.queryHash}@${query.state.dataUpdatedAt}`), last?.mutationId].join(
      ' ',
    )
    if (mark !== stored.current.mark) {
      const calls = active.flatMap((query) => {
        const call = findCall(query)
        // The data of a declared call can be a part of the response.
        const answer = call === query.queryKey ? query.state.data : undefined
        return call === null ? [] : [toPageCall(call, answer, query.state.dataUpdatedAt)]
      })
      if (last?.options.mutationKey !== undefined) {
        const [method, path] = last.options.mutationKey as unknown as CallKey
        const init = last.state.variables as CallInit | undefined
        // Leaves out the response, because it may contain a value that is shown only once, such as a secret.
        calls.push(toPageCall([method, path, init], undefined, last.state.submittedAt))
      }
      stored.current = { mark, calls }
    }
    return stored.current.calls
  }, [])
  return useSyncExternalStore(subscribeToChanges, read)
}

function subscribeToChanges(changed: () => void): () => void {
  const ends = [queryClient.getQueryCache().subscribe(changed), queryClient.getMutationCache().subscribe(changed)]
  return () => {
    for (const end of ends) end()
  }
}

const METHODS: readonly unknown[] = ['get', 'post', 'put', 'patch', 'delete']

/**
 * Returns the call of a query; null if the query is not a part of the page. The key of a query is its call, unless the
 * query declares another one. The queries with which fields look up records have other keys and declare no call.
 */
function findCall({ meta, queryKey }: Query): CallKey | null {
  if (meta?.ofTheFrame === true) return null
  if (isCallKey(meta?.call)) return meta.call
  return isCallKey(queryKey) ? queryKey : null
}

function isCallKey(key: unknown): key is CallKey {
  return Array.isArray(key) && METHODS.includes(key[0]) && typeof key[1] === 'string'
}

/** Declares the call of a query whose key is not the call. */
export function declareCall(method: string, path: string, init: CallInit): { call: CallKey } {
  return { call: [method, path, init] }
}

/** Marks the main query of a page. Needed if the page runs other queries before it. */
export const MAIN_QUERY = { main: true }

function compareMainFirst(a: Query, b: Query): number {
  return Number(b.meta?.main === true) - Number(a.meta?.main === true)
}

function toPageCall([method, path, init]: CallKey, answer: unknown, at: number): PageCall {
  return {
    method: method.toUpperCase(),
    target: toTarget(path, init),
    body: init?.body,
    answer,
    at: at === 0 ? null : at,
    isForKeys: path.startsWith('/api/ext/'),
  }
}

function toTarget(path: string, init: CallInit | undefined): string {
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

/** Returns the call as a curl command, with the key in a shell variable. */
export function toCurl({ method, target, body }: PageCall): string {
  const url = `${location.origin}${root}${target}`
  const parts = [`curl -H "Authorization: Bearer $PLUMBLINE_KEY" '${url}'`]
  if (method !== 'GET') parts[0] = `curl -X ${method} -H "Authorization: Bearer $PLUMBLINE_KEY" '${url}'`
  if (body instanceof File) {
    parts.push("-H 'Content-Type: application/octet-stream'")
    parts.push(`--data-binary '@${quoteForShell(body.name)}'`)
  } else if (body !== undefined) {
    parts.push("-H 'Content-Type: application/json'")
    parts.push(`-d '${quoteForShell(JSON.stringify(body))}'`)
  }
  return parts.join(' \\\n  ')
}

/** Quotes text for a shell with single quotes. */
function quoteForShell(text: string): string {
  return text.replaceAll("'", "'\\''")
}
