import { useCallback, useMemo } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'

/** The state of a list. It is in the URL, so that users can share it, bookmark it, and return to it. */
export interface ListView {
  q: string
  sort: string
  cursor: string | undefined
  /** The number of pages before this page, as far as this browser tab knows. */
  pagesBefore: number
  filter(name: string): string | undefined
  setFilter(name: string, value: string | undefined): void
  setSearch(q: string): void
  setSort(sort: string): void
  clear(): void
  next(cursor: string): void
  previous(): void
  readonly isFiltered: boolean
}

export function useListView(usualSort: string, filters: readonly string[]): ListView {
  const [params, setParams] = useSearchParams()
  const navigate = useNavigate()
  const location = useLocation()
  const pagesBefore = Number((location.state as { pagesBefore?: number } | null)?.pagesBefore ?? 0)

  // If the selection changes, the list starts again at the first page.
  const change = useCallback(
    (name: string, value: string | undefined, options?: { replace: boolean }) => {
      setParams((before) => {
        const after = new URLSearchParams(before)
        after.delete('cursor')
        if (value === undefined || value === '') after.delete(name)
        else after.set(name, value)
        return after
      }, options)
    },
    [setParams],
  )

  return useMemo(() => {
    const cursor = params.get('cursor') ?? undefined
    const q = params.get('q') ?? ''
    return {
      q,
      sort: params.get('sort') ?? usualSort,
      cursor,
      pagesBefore,
      filter: (name) => params.get(name) ?? undefined,
      setFilter: change,
      // Replaces the history entry, so that typing does not add an entry for each letter.
      setSearch: (text) => change('q', text, { replace: true }),
      setSort: (sort) => change('sort', sort === usualSort ? undefined : sort),
      clear() {
        setParams((before) => {
          const after = new URLSearchParams(before)
          for (const name of ['q', 'cursor', ...filters]) after.delete(name)
          return after
        })
      },
      next(to) {
        const after = new URLSearchParams(params)
        after.set('cursor', to)
        setParams(after, { state: { pagesBefore: pagesBefore + 1 } })
      },
      previous() {
        if (pagesBefore > 0) return void navigate(-1)
        const after = new URLSearchParams(params)
        after.delete('cursor')
        setParams(after)
      },
      isFiltered: q !== '' || filters.some((name) => params.has(name)),
    }
  }, [params, setParams, change, navigate, pagesBefore, usualSort, filters])
}
