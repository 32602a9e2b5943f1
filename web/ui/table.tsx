import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'
import { Skeleton } from './states.tsx'

export type CsvCell = string | number | null

export interface Column<Row> {
  head: string
  cell(row: Row): ReactNode
  /** Returns the cell for the CSV export. Columns without this function are not exported. */
  csv?(row: Row): CsvCell | Promise<CsvCell>
  /** The field by which the operation sorts. */
  sort?: string
  numeric?: boolean
  /** Whether the column is hidden on phones. */
  isWideOnly?: boolean
  /** Whether the column appears only in the export. */
  isOnlyExported?: boolean
  className?: string
}

/**
 * Shows a table with dense rows and a sticky header. On a phone, each row is a card with the first cell at the top and
 * labels for the other cells.
 */
export function Table<Row>(props: {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[] | undefined
  keyOf(row: Row): string
  sort?: string
  onSort?(sort: string): void
  /** The number of placeholder rows while the data loads. */
  expected?: number
}) {
  const { caption, rows, keyOf, sort, onSort, expected = 8 } = props
  const columns = props.columns.filter(({ isOnlyExported }) => isOnlyExported !== true)
  return (
    <table role="table" className="table cards">
      <caption className="sr">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <ColumnHead key={column.head} column={column} sort={sort} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup" aria-busy={rows === undefined}>
        {rows === undefined
          ? Array.from({ length: expected }, (_, row) => (
              <tr role="row" key={row}>
                {columns.map((column, at) => (
                  <td role="cell" key={column.head} className={cellClass(column)}>
                    <Skeleton width={at === 0 ? 90 + ((row * 53) % 80) : 56} />
                    {at === 0 && <span className="sr">Loading</span>}
                  </td>
                ))}
              </tr>
            ))
          : rows.map((row) => (
              <tr role="row" key={keyOf(row)}>
                {columns.map((column, at) =>
                  at === 0 ? (
                    <th role="rowheader" scope="row" key={column.head} className={cellClass(column)}>
                      {column.cell(row)}
                    </th>
                  ) : (
                    <td role="cell" key={column.head} data-label={column.head} className={cellClass(column)}>
                      {column.cell(row)}
                    </td>
                  ),
                )}
              </tr>
            ))}
      </tbody>
    </table>
  )
}

function ColumnHead<Row>(props: {
  column: Column<Row>
  sort: string | undefined
  onSort: ((sort: string) => void) | undefined
}) {
  const { column, sort, onSort } = props
  const isSorted = column.sort !== undefined && (sort === column.sort || sort === `-${column.sort}`)
  const isDown = isSorted && sort?.startsWith('-') === true
  const direction = isDown ? 'descending' : 'ascending'
  return (
    <th role="columnheader" scope="col" className={cellClass(column)} aria-sort={isSorted ? direction : undefined}>
      {column.sort === undefined || onSort === undefined ? (
        column.head
      ) : (
        <button
          type="button"
          className="sort"
          onClick={() => onSort(isSorted && !isDown ? `-${column.sort}` : `${column.sort}`)}
        >
          {column.head} {isSorted && <Icon name={isDown ? 'down' : 'up'} />}
        </button>
      )}
    </th>
  )
}

function cellClass<Row>({ numeric, isWideOnly, className }: Column<Row>): string | undefined {
  const names = [numeric ? 'num' : '', isWideOnly ? 'hide-narrow' : '', className ?? ''].filter((name) => name !== '')
  return names.length === 0 ? undefined : names.join(' ')
}

/** Shows a word for a missing value. */
export function EmptyCell({ word = 'none' }: { word?: string }) {
  return <span className="none">{word}</span>
}
