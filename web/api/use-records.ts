import { useMemo } from 'react'
import type { Item, ListPath } from '../../client/calls.ts'
import { type ListQuery, useListPage } from './list-pages.ts'

/** The lists that accept IDs as a filter. */
type PathById = {
  [Path in ListPath]: Item<Path> extends { id: string }
    ? ListQuery<Path> extends { ids?: string[] }
      ? Path
      : never
    : never
}[ListPath]

/** The maximum number of IDs in one request. A page of a list refers to fewer records. */
const MAX_IDS = 200

/**
 * Returns the records with these IDs in a single request. A list uses them to show the names of related records.
 * Records that no longer exist, or that the user may not read, are missing.
 */
export function useRecords<Path extends PathById>(
  path: Path,
  ids: readonly (string | null)[],
): ReadonlyMap<string, Item<Path>> {
  const requested = [...new Set(ids.filter((id) => id !== null))].sort().slice(0, MAX_IDS)
  const query = { ids: requested, limit: MAX_IDS, ...LISTS_WITH_ARCHIVED[path] } as unknown as ListQuery<Path>
  const { data } = useListPage(path, query, { enabled: requested.length > 0 })
  return useMemo(
    () => new Map((data?.data ?? []).map((record) => [(record as { id: string }).id, record] as const)),
    [data],
  )
}

// Lists in which archived records must be included, because other records still refer to them by name.
const LISTS_WITH_ARCHIVED: Partial<Record<ListPath, object>> = {
  '/api/ext/vendors': { includeArchived: true },
  '/api/ext/communities': { includeArchived: true },
  '/api/ext/homes': { includeArchived: true },
}
