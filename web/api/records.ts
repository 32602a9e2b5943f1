import { useMemo } from 'react'
import type { Item, ListPath } from '../../client/calls.ts'
import { type ListQuery, usePage } from './pages.ts'

/** The lists that can be asked for single records by their ids. */
type ById = {
  [Path in ListPath]: Item<Path> extends { id: string }
    ? ListQuery<Path> extends { ids?: string[] }
      ? Path
      : never
    : never
}[ListPath]

/** As many ids as one request takes; a page of a list names fewer. */
const MOST_IDS = 200

/**
 * The records with these ids, for the names of what a list refers to: one request for all of them, kept as long as other
 * answers. Those that do not exist any more, or may not be read, are not in it.
 */
export function useRecords<Path extends ById>(
  path: Path,
  ids: readonly (string | null)[],
): ReadonlyMap<string, Item<Path>> {
  const asked = [...new Set(ids.filter((id) => id !== null))].sort().slice(0, MOST_IDS)
  const query = { ids: asked, limit: MOST_IDS, ...WITH_ARCHIVED[path] } as unknown as ListQuery<Path>
  const { data } = usePage(path, query, { enabled: asked.length > 0 })
  return useMemo(
    () => new Map((data?.data ?? []).map((record) => [(record as { id: string }).id, record] as const)),
    [data],
  )
}

// What was archived since is still referred to by its name.
const WITH_ARCHIVED: Partial<Record<ListPath, object>> = {
  '/api/ext/vendors': { includeArchived: true },
  '/api/ext/communities': { includeArchived: true },
  '/api/ext/homes': { includeArchived: true },
}
