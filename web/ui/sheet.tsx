import { type ClipboardEvent, type KeyboardEvent, memo, type ReactNode, useRef, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import { SearchBox } from './search-box.tsx'
import {
  type CellErrors,
  fillRows,
  isEmptySheetRow,
  type SheetColumn,
  type SheetRow,
  splitCells,
} from './sheet-rows.ts'
import { formatCount } from './text-formats.ts'

/** The number of rows that are shown first. More rows would make typing slow. A button shows more rows. */
const ROWS_PER_STEP = 100
/** The number of rows from which a search box is shown. A shorter sheet needs none. */
const SEARCHED_FROM = 15

/** The values that are computed from the texts of a row. A row is rendered again only if this object changes. */
export interface SheetRowView<Name extends string = string> {
  readonly errors: CellErrors
  /** The notes below the cells, such as the name of a part. */
  readonly notes?: Readonly<Partial<Record<Name, string>>>
  /** The computed value of the row, if the sheet has a column for it. */
  readonly result?: ReactNode
}

/** The texts that a column suggests. */
export interface CellSuggestion {
  value: string
  label?: string
}

/**
 * Rows that are edited like a spreadsheet. Enter moves down and Shift+Enter moves up, Ctrl+D repeats the cell above, and
 * cells that were copied from a spreadsheet fill the rows from the cell in which they are pasted.
 */
export function Sheet<Name extends string>(props: {
  /** Distinguishes the sheet from others on the page. */
  id: string
  label: string
  columns: readonly SheetColumn<Name>[]
  rows: readonly SheetRow<Name>[]
  /** Returns the same object for a row until the row changes. */
  viewOf(row: SheetRow<Name>): SheetRowView<Name>
  /** The errors of the service by the key of the row. */
  rejected: ReadonlyMap<string, CellErrors>
  suggestions?: Readonly<Partial<Record<Name, readonly CellSuggestion[]>>>
  /** The heading of the computed column. Without it, the sheet has no such column. */
  resultHead?: string
  searchIn: string
  /** Whether only rows with errors are shown. */
  onlyErrors: boolean
  /** Reports the text that the user types in the first column, so that the page can load suggestions. */
  onType?(text: string): void
  createRow(): SheetRow<Name>
  onChange(rows: readonly SheetRow<Name>[]): void
}) {
  const { id, label, columns, rows, viewOf, rejected, suggestions, resultHead, searchIn, onlyErrors } = props
  const { createRow, onType, onChange } = props
  const [search, setSearch] = useState('')
  const [limit, setLimit] = useState(ROWS_PER_STEP)
  const table = useRef<HTMLTableElement>(null)
  const wanted = search.trim().toLowerCase()
  const matches = (row: SheetRow<Name>) => {
    if (onlyErrors && Object.keys({ ...viewOf(row).errors, ...rejected.get(row.key) }).length === 0) return false
    if (wanted === '' || isEmptySheetRow(row, columns)) return true
    const texts = [...Object.values<string | undefined>(row.cells), ...Object.values(viewOf(row).notes ?? {})]
    return texts.some((text) => typeof text === 'string' && text.toLowerCase().includes(wanted))
  }
  const matching = rows.filter(matches)
  const shown = matching.slice(0, limit)

  // Rows are rendered again only if they change, so they need functions that stay the same.
  const latest = useRef({ rows, shown, columns, createRow, onChange, onType })
  latest.current = { rows, shown, columns, createRow, onChange, onType }
  const focusCell = (key: string, column: string | undefined) =>
    table.current
      ?.querySelector<HTMLInputElement>(`tr[data-row="${CSS.escape(key)}"] [data-column="${column}"]`)
      ?.focus()
  const addRow = () => {
    const { rows, createRow, onChange } = latest.current
    const added = createRow()
    onChange([...rows, added])
    setLimit((before) => Math.max(before, rows.length + 1))
    requestAnimationFrame(() => focusCell(added.key, latest.current.columns[0]?.name))
  }
  const [actions] = useState<RowActions>(() => ({
    change(key, column, text) {
      const { rows, columns, onChange, onType } = latest.current
      onChange(rows.map((row) => (row.key === key ? { ...row, cells: { ...row.cells, [column]: text } } : row)))
      if (column === columns[0]?.name) onType?.(text)
    },
    remove(key) {
      const { rows, onChange } = latest.current
      onChange(rows.filter((row) => row.key !== key))
    },
    paste(event, key, column) {
      const cells = splitCells(event.clipboardData.getData('text/plain'))
      // A single value is pasted into the cell as usual.
      if (cells.length < 2 && (cells[0]?.length ?? 0) < 2) return
      const { rows, columns, createRow, onChange } = latest.current
      const place = columns.find(({ name }) => name === column)
      if (place === undefined) return
      event.preventDefault()
      onChange(fillRows(rows, cells, { key, column: place.name }, columns, createRow))
      setLimit((before) => Math.max(before, rows.length + cells.length))
    },
    press(event, key, column) {
      const { shown } = latest.current
      const at = shown.findIndex((row) => row.key === key)
      if (event.key === 'Enter') {
        event.preventDefault()
        const next = shown[at + (event.shiftKey ? -1 : 1)]
        if (next !== undefined) return focusCell(next.key, column)
        if (!event.shiftKey) addRow()
      }
      if (event.key === 'd' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        const cells: Readonly<Record<string, string | undefined>> = shown[at - 1]?.cells ?? {}
        const above = cells[column]
        if (above !== undefined) actions.change(key, column, above)
      }
    },
  }))

  return (
    <>
      {rows.length > SEARCHED_FROM && (
        <search className="filters inset">
          <SearchBox label="Search lines" placeholder={searchIn} value={search} onChange={setSearch} />
          <span className="muted" aria-live="polite">
            {wanted !== '' && `${formatCount(matching.length, 'line')} found`}
          </span>
        </search>
      )}
      {columns.map(
        ({ name, suggests }) =>
          suggests === true && (
            <datalist key={name} id={`${id}-list-${name}`}>
              {(suggestions?.[name] ?? []).map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </datalist>
          ),
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be one more landmark within the panel's. */}
      <div className="table-wrap" tabIndex={0} role="region" aria-label={label}>
        <table role="table" className="table grid sheet" ref={table}>
          <caption className="sr">{label}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ name, head, look }) => (
                <th role="columnheader" scope="col" key={name} className={look === 'number' ? 'num' : undefined}>
                  {head}
                </th>
              ))}
              {resultHead !== undefined && (
                <th role="columnheader" scope="col" className="num">
                  {resultHead}
                </th>
              )}
              <td role="cell" />
            </tr>
          </thead>
          <tbody role="rowgroup">
            {shown.map((row) => (
              <Row
                key={row.key}
                id={id}
                row={row}
                at={rows.indexOf(row) + 1}
                columns={columns}
                resultHead={resultHead}
                view={viewOf(row)}
                rejected={rejected.get(row.key)}
                actions={actions}
              />
            ))}
          </tbody>
        </table>
      </div>
      <div className="row wrap sheet-foot">
        <Button small icon="plus" onClick={addRow}>
          Add line
        </Button>
        {matching.length > shown.length && (
          <Button small look="quiet" onClick={() => setLimit(limit + ROWS_PER_STEP)}>
            Show {Math.min(ROWS_PER_STEP, matching.length - shown.length)} more of {matching.length}
          </Button>
        )}
        <span className="faint">
          Paste cells from a spreadsheet. Enter moves down, and Ctrl+D repeats the cell above.
        </span>
      </div>
    </>
  )
}

interface RowActions {
  change(key: string, column: string, text: string): void
  remove(key: string): void
  paste(event: ClipboardEvent, key: string, column: string): void
  press(event: KeyboardEvent, key: string, column: string): void
}

const CELL_LOOKS = { text: 'input', number: 'input num', code: 'input code' } as const

const Row = memo(function Row(props: {
  id: string
  row: SheetRow
  at: number
  columns: readonly SheetColumn[]
  resultHead: string | undefined
  view: SheetRowView
  rejected: CellErrors | undefined
  actions: RowActions
}) {
  const { id, row, at, columns, resultHead, view, rejected, actions } = props
  // An empty row is not saved, so it has no errors.
  const errors: CellErrors = isEmptySheetRow(row, columns) ? {} : { ...view.errors, ...rejected }
  return (
    <tr role="row" data-row={row.key}>
      {columns.map(({ name, head, look = 'text', placeholder, suggests }) => {
        const error = errors[name]
        const note = view.notes?.[name]
        const cellId = `${id}-${row.key}-${name}`
        return (
          <td role="cell" key={name} data-label={head} className={`col-${name}`}>
            <input
              className={CELL_LOOKS[look]}
              id={cellId}
              data-column={name}
              aria-label={`${head}, line ${at}`}
              aria-invalid={error === undefined ? undefined : true}
              aria-describedby={error === undefined ? undefined : `${cellId}-error`}
              autoComplete="off"
              spellCheck={false}
              list={suggests === true ? `${id}-list-${name}` : undefined}
              placeholder={placeholder}
              value={row.cells[name] ?? ''}
              onChange={(event) => actions.change(row.key, name, event.target.value)}
              onPaste={(event) => actions.paste(event, row.key, name)}
              onKeyDown={(event) => actions.press(event, row.key, name)}
            />
            {error !== undefined ? (
              <span className="cell-error" id={`${cellId}-error`}>
                {error}
              </span>
            ) : (
              note !== undefined && <span className="cell-note">{note}</span>
            )}
          </td>
        )
      })}
      {resultHead !== undefined && (
        <td role="cell" data-label={resultHead} className="num result">
          {view.result}
        </td>
      )}
      <td role="cell">
        <IconButton icon="x" label={`Remove line ${at}`} look="quiet" small onClick={() => actions.remove(row.key)} />
      </td>
    </tr>
  )
})
