import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query'
import type { Item, ListPath } from '../../client/calls.ts'
import type { Problem, paths } from '../../client/contract.gen.ts'
import { plumbline } from './plumbline.ts'
import { queryClient } from './query-client.ts'

/** The query parameters of a list. */
export type ListQuery<Path extends ListPath> = NonNullable<paths[Path]['get']['parameters']['query']>

export interface Page<Row> {
  data: readonly Row[]
  nextCursor: string | null
}

// Removes the types of the client, because there are many paths and their types are large. Callers see the types of
// their own list.
const untypedPlumbline = plumbline as unknown as {
  useQuery(method: 'get', path: string, init: object, options: object): UseQueryResult<Page<unknown>, Problem>
  queryOptions(method: 'get', path: string, init: object): { queryKey: readonly unknown[]; queryFn(): Promise<unknown> }
}

/** The path parameters of a list, such as `{ webhookId }`. */
export type ListPlace = Readonly<Record<string, string>>

/** Returns one page of a list. While the next page loads, returns the previous one. */
export function useListPage<Path extends ListPath>(
  path: Path,
  query: ListQuery<Path>,
  options: { enabled?: boolean; meta?: Record<string, unknown>; place?: ListPlace; refetchInterval?: number } = {},
): UseQueryResult<Page<Item<Path>>, Problem> {
  const { place, ...rest } = options
  const params = { query, ...(place !== undefined && { path: place }) }
  const page = untypedPlumbline.useQuery('get', path, { params }, { placeholderData: keepPreviousData, ...rest })
  return page as UseQueryResult<Page<Item<Path>>, Problem>
}

const MAX_PAGE_SIZE = 200

/** Reads the rows of a list page by page, at most `max`. `isWhole` is true if these are all rows. */
export async function fetchAllRows<Path extends ListPath>(
  path: Path,
  query: ListQuery<Path>,
  max: number,
  place?: ListPlace,
): Promise<{ rows: Item<Path>[]; isWhole: boolean }> {
  const rows: Item<Path>[] = []
  for (let cursor: string | null | undefined; rows.length < max; ) {
    const asking = { ...query, limit: MAX_PAGE_SIZE, ...(cursor && { cursor }) }
    const params = { query: asking, ...(place !== undefined && { path: place }) }
    const options = untypedPlumbline.queryOptions('get', path, { params })
    const page = (await queryClient.fetchQuery(options)) as Page<Item<Path>>
    rows.push(...page.data)
    cursor = page.nextCursor
    if (cursor === null) return { rows, isWhole: true }
  }
  return { rows: rows.slice(0, max), isWhole: false }
}
