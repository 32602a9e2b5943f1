import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { Item, ListPath } from '../../client/calls.ts'
import { fetchAllRows, type ListPlace, type ListQuery, useListPage } from '../api/list-pages.ts'
import { MAIN_QUERY } from '../api/page-calls.ts'
import { Button } from './button.tsx'
import { saveFile, toCsv } from './csv.ts'
import { type Filter, FilterControl } from './filter.tsx'
import { Icon } from './icon.tsx'
import { isTypingKey } from './keyboard.ts'
import { useListView } from './list-view.ts'
import { SearchBox } from './search-box.tsx'
import { LoadError } from './states.tsx'
import { type Column, Table } from './table.tsx'
import { formatCount } from './text-formats.ts'
import { showToast } from './toast.tsx'

const PAGE_SIZE = 50
/**
 * The maximum number of exported rows. Users do not look through more. The export of the organization contains all
 * rows.
 */
const MAX_EXPORTED = 10_000

const EMPTY_FILTERS: readonly Filter[] = []
const EMPTY_TABS: readonly string[] = []

interface ListingProps<Path extends ListPath> {
  /** The path of the list operation. */
  path: Path
  /** The path parameters of the list, if it has any. */
  place?: ListPlace
  /** The polling interval in milliseconds. Needed if rows change without an event. */
  everyMs?: number
  /** The nouns for one row and for several rows, such as `vendor` and `vendors`. */
  nouns: readonly [one: string, several: string]
  columns: readonly Column<Item<Path>>[]
  keyOf(row: Item<Path>): string
  /** The default sort order. Left out if the list has only one possible sort order. */
  sort?: string
  /** The fields that the search covers. Without it, the list has no search. */
  searchIn?: string
  filters?: readonly Filter[]
  /** The names of the filters that the tabs above the list set. */
  tabs?: readonly string[]
  /** Additional query parameters. */
  query?: ListQuery<Path>
  /** The message if there are no rows at all: the reason and the next step. */
  empty: ReactNode
  /** Content that is shown next to the filters. */
  aside?: ReactNode
}

/**
 * Shows the result of a list operation. The search, the filters, and the sort order are in the URL. The list has pages,
 * a message if it is empty, and a CSV export. `j` and `k` move between rows.
 */
export function Listing<Path extends ListPath>(props: ListingProps<Path>) {
  const {
    path,
    place,
    everyMs,
    nouns,
    columns,
    keyOf,
    sort,
    searchIn,
    filters = EMPTY_FILTERS,
    tabs = EMPTY_TABS,
    query = {} as ListQuery<Path>,
    empty,
    aside,
  } = props
  const names = useMemo(() => [...tabs, ...filters.map(({ name }) => name)], [tabs, filters])
  const view = useListView(sort ?? '', names)
  const chosen = Object.fromEntries(
    names.flatMap((name) => (view.filter(name) === undefined ? [] : [[name, view.filter(name)]])),
  )
  const requested = {
    limit: PAGE_SIZE,
    ...(sort !== undefined && { sort: view.sort }),
    ...query,
    ...chosen,
    ...(view.q !== '' && { q: view.q }),
  } as unknown as ListQuery<Path>
  const page = useListPage(
    path,
    (view.cursor === undefined ? requested : { ...requested, cursor: view.cursor }) as ListQuery<Path>,
    {
      meta: MAIN_QUERY,
      ...(place !== undefined && { place }),
      ...(everyMs !== undefined && { refetchInterval: everyMs }),
    },
  )
  const rows = page.data?.data
  const table = useRef<HTMLDivElement>(null)
  useRowKeys(table)

  // An operation that searches a limited number of records can return an empty page before the last one.
  const isEmpty = rows?.length === 0 && view.cursor === undefined && page.data?.nextCursor === null
  return (
    <>
      {(searchIn !== undefined || filters.length > 0 || aside !== undefined || !isEmpty) && (
        <search className="filters">
          {searchIn !== undefined && (
            <SearchBox label={`Search ${nouns[1]}`} placeholder={searchIn} value={view.q} onChange={view.setSearch} />
          )}
          {filters.map((filter) => (
            <FilterControl
              key={filter.name}
              filter={filter}
              value={view.filter(filter.name)}
              onChange={(value) => view.setFilter(filter.name, value)}
            />
          ))}
          <span className="push row">
            {aside}
            <ExportButton path={path} place={place} query={requested} columns={columns} nouns={nouns} />
          </span>
        </search>
      )}
      <div className="table-wrap" ref={table}>
        {page.error !== null ? (
          <LoadError what={`The ${nouns[1]}`} error={page.error} onRetry={() => void page.refetch()} />
        ) : isEmpty ? (
          view.isFiltered ? (
            <div className="state">
              <Icon name="search" />
              <strong>No matching {nouns[1]}</strong>
              <p>Remove a filter or change the search.</p>
              <Button small onClick={view.clear}>
                Clear filters
              </Button>
            </div>
          ) : (
            empty
          )
        ) : (
          <Table caption={nouns[1]} {...{ columns, rows, keyOf, sort: view.sort, onSort: view.setSort }} />
        )}
      </div>
      {rows !== undefined && !isEmpty && (
        <div className="pager">
          <span aria-live="polite">
            {describeRange(rows.length, view.pagesBefore, page.data?.nextCursor ?? null, view.cursor, nouns)}
          </span>
          <span className="btns">
            <Button small disabled={view.cursor === undefined} onClick={view.previous}>
              <Icon name="left" />
              Previous
            </Button>
            <Button
              small
              disabled={(page.data?.nextCursor ?? null) === null}
              onClick={() => {
                const cursor = page.data?.nextCursor
                if (cursor !== null && cursor !== undefined) view.next(cursor)
                table.current?.scrollIntoView({ block: 'start' })
              }}
            >
              Next
              <Icon name="right" />
            </Button>
          </span>
        </div>
      )}
    </>
  )
}

function describeRange(
  rows: number,
  pagesBefore: number,
  nextCursor: string | null,
  cursor: string | undefined,
  nouns: readonly [string, string],
): string {
  if (rows === 0 && nextCursor !== null) return `No ${nouns[1]} on this page (more available)`
  if (cursor === undefined && nextCursor === null) return `${formatCount(rows, nouns[0], nouns[1])}`
  // If a user opens the page through another user's link, the number of previous pages is unknown.
  if (cursor !== undefined && pagesBefore === 0) return formatCount(rows, nouns[0], nouns[1])
  const first = pagesBefore * PAGE_SIZE + 1
  return `${nouns[1].charAt(0).toUpperCase()}${nouns[1].slice(1)} ${first} to ${first + rows - 1}${nextCursor === null ? '' : ' (more available)'}`
}

function ExportButton<Path extends ListPath>(props: {
  path: Path
  place: ListPlace | undefined
  query: ListQuery<Path>
  columns: readonly Column<Item<Path>>[]
  nouns: readonly [string, string]
}) {
  const { path, place, query, columns, nouns } = props
  const [busy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      const { rows, isWhole } = await fetchAllRows(path, query, MAX_EXPORTED, place)
      const written = columns.flatMap(({ head, csv }) => (csv === undefined ? [] : [{ head, csv }]))
      const cells = await Promise.all(rows.map((row) => Promise.all(written.map(({ csv }) => csv(row)))))
      saveFile(
        toCsv(
          written.map(({ head }) => head),
          cells,
        ),
        `${nouns[1].replaceAll(' ', '-')}.csv`,
      )
      showToast(
        isWhole
          ? `${formatCount(rows.length, ...nouns)} exported`
          : `The first ${formatCount(rows.length, ...nouns)} exported`,
      )
    } catch {
      showToast('Export failed: the server did not respond')
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button look="quiet" icon="download" busy={busy} onClick={() => void run()}>
      Export
    </Button>
  )
}

function useRowKeys(table: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const move = (event: KeyboardEvent) => {
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
      if (step === 0 || isTypingKey(event)) return
      const links = [...(table.current?.querySelectorAll<HTMLElement>('tbody th a') ?? [])]
      const at = links.indexOf(document.activeElement as HTMLElement)
      links[at === -1 ? 0 : Math.min(Math.max(at + step, 0), links.length - 1)]?.focus()
    }
    document.addEventListener('keydown', move)
    return () => document.removeEventListener('keydown', move)
  }, [table])
}
