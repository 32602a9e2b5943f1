import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { CostCode, Part, TakeoffLine } from '../../../client/contract.gen.ts'
import { fetchAllRows } from '../../api/list-pages.ts'
import { fetchParts } from './known-parts.ts'

/** A builder has fewer cost codes. */
const MAX_CODES = 2000

/** The parts and cost codes to which the lines of a takeoff refer. */
export interface TakeoffReferences {
  /** The version of the takeoff whose parts were loaded. */
  version: number
  parts: readonly Part[]
  costCodes: readonly CostCode[]
}

/** Loads the parts of the lines, and all cost codes. */
export function useTakeoffReferences(
  id: string,
  takeoff: { version: number; lines: readonly Pick<TakeoffLine, 'partId'>[] } | undefined,
): { data: TakeoffReferences | undefined; error: unknown; refetch(): Promise<unknown> } {
  // The keys are not paths, so that the list of the page's calls does not contain these requests.
  const codes = useQuery({
    queryKey: ['takeoff codes'],
    queryFn: async () => (await fetchAllRows('/api/ext/cost-codes', { sort: 'code' }, MAX_CODES)).rows,
  })
  const parts = useQuery({
    queryKey: ['takeoff parts', [id, takeoff?.version]],
    queryFn: async () => ({
      version: takeoff?.version ?? 0,
      parts: await fetchParts([...new Set((takeoff?.lines ?? []).map(({ partId }) => partId))]),
    }),
    enabled: takeoff !== undefined,
    // The grid must not disappear while the parts of a newer version are loaded.
    placeholderData: keepPreviousData,
  })
  return {
    data: parts.data === undefined || codes.data === undefined ? undefined : { ...parts.data, costCodes: codes.data },
    error: codes.error ?? parts.error,
    refetch: () => Promise.all([codes.refetch(), parts.refetch()]),
  }
}
