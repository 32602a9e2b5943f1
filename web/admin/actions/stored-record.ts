import { useQuery } from '@tanstack/react-query'
import { declareCall, MAIN_QUERY } from '../../api/page-calls.ts'
import { actions, type DeclaredAction } from './actions.gen.ts'
import { listPathParameters, readAction } from './call-action.ts'
import type { Values } from './entered-values.ts'

export interface StoredRecord {
  /** The record to change. Null if the action changes no record, or if the user has not specified the record yet. */
  record: Values | null
  error: unknown
  isPending: boolean
}

/** Reads the record that an action changes, if an operation with the same path returns the record. */
export function useStoredRecord(
  action: DeclaredAction | undefined,
  given: Readonly<Record<string, string>>,
): StoredRecord {
  const read = findRead(action)
  const isNamed = read?.path !== undefined && listPathParameters(read.path).every((name) => given[name] !== undefined)
  const query = useQuery({
    queryKey: ['stored', read?.path, given],
    queryFn: async () => {
      if (read?.path === undefined) return null
      const input = Object.fromEntries(listPathParameters(read.path).map((name) => [name, given[name]]))
      return (await readAction(read, input)) as Values
    },
    enabled: isNamed,
    // The form keeps the record that it showed first. Its version reveals whether another user has changed the record
    // since.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    meta: { ...MAIN_QUERY, ...declareCall('get', read?.path ?? '', { params: { path: given } }) },
  })
  return {
    record: isNamed ? (query.data ?? null) : null,
    error: isNamed ? query.error : null,
    isPending: isNamed && query.isPending,
  }
}

function findRead(action: DeclaredAction | undefined): DeclaredAction | undefined {
  if (action?.method !== 'patch' && action?.method !== 'put') return undefined
  return Object.values(actions).find(({ method, path }) => method === 'get' && path === action.path)
}
