import { useQuery } from '@tanstack/react-query'
import { actions, type DeclaredAction } from './actions.gen.ts'
import { listPathParameters, readAction } from './call-action.ts'
import type { Values } from './entered-values.ts'

export interface StoredRecord {
  /** The record to change; null if the action does not change a record, or if the record is not specified yet. */
  record: Values | null
  error: unknown
  isPending: boolean
}

/** Reads the record that an action changes, if the same path has an operation that returns it. */
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
    // A form keeps the record that it showed first. The version of that record shows whether another user changed the
    // record in the meantime.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
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
