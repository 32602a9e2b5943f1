import { type ClipboardEvent, type KeyboardEvent, memo, type ReactNode, useRef, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import { SearchBox } from './search-box.tsx'
import { SheetRowTools } from './sheet-row-tools.tsx'
import { type CellAccess, type CellErrors, fillRows, type SheetColumn, splitCells } from './sheet-rows.ts'
import { formatCount } from './text-formats.ts'

/**
 * The number of rows that are shown first. More rows would make typing slow, and each row fills much of a phone's
 * screen. A button shows more rows.
 */
const ROWS_PER_STEP = matchMedia('(max-width: 760px)').matches ? 20 : 100
/** The number of rows from which a search box is shown. A shorter sheet needs none. */
const SEARCHED_FROM = 15

/** The values that are computed from the texts of a row. A row is rendered again only if this object changes. */
export interface SheetRowView<Name extends string = string> {
  readonly errors: CellErrors
  /** The notes below the cells, such as the name of a part. */
  readonly notes?: Readonly<Partial<Record<Name, ReactNode>>>
  /** The texts of cells that the user has not typed but that follow from other rows. */
  readonly texts?: Readonly<Partial<Record<Name, string>>>
  /** The cells that cannot be edited, with the placeholder that they show. */
  readonly fixed?: Readonly<Partial<Record<Name, string>>>
  /** The computed value of the row, if the sheet has a column for it. */
  readonly result?: ReactNode
}

/** The texts that a column suggests. */
export interface CellSuggestion {
  value: string
  label?: string
}

/**
 * The additional features of a sheet in which the order of the rows matters: its rows are numbered, can be moved, and
 * can be opened in a form.
 */
export interface SheetOrder<Row> {
  /** Returns the name of a row; an empty text if it has none. */
  nameOf(row: Row): string
  /** Opens all fields of a row. */
  onOpen(key: string): void
  /** Reports that the user leaves a cell. */
  onLeave(key: string, column: string): void
}

/** The words for the rows of a sheet: an item, and the place of a row in the labels of its cells. */
export interface SheetWords {
  item: string
  place: string
}

const LINE_WORDS: SheetWords = { item: 'line', place: 'line' }

/**
 * Rows that are edited like a spreadsheet. Enter moves down and Shift+Enter moves up, Ctrl+D repeats the cell above, and
 * cells that were copied from a spreadsheet fill the rows from the cell in which they are pasted.
 */
export function Sheet<Row extends { readonly key: string }, Name extends string>(props: {
  /** Distinguishes the sheet from others on the page. */
  id: string
  label: string
  columns: readonly SheetColumn<Name>[]
  rows: readonly Row[]
  /** Must stay the same object. */
  access: CellAccess<Row, Name>
  /** Returns the same object for a row until the row changes. */
  viewOf(row: Row): SheetRowView<Name>
  /** The errors of the service by the key of the row. */
  rejected: ReadonlyMap<string, CellErrors>
  suggestions?: Readonly<Partial<Record<Name, readonly CellSuggestion[]>>>
  /** The heading of the computed column. Without it, the sheet has no such column. */
  resultHead?: string
  searchIn: string
  /** Returns the texts of a row that the search covers. Defaults to its cells and notes. */
  searchTexts?(row: Row): readonly string[]
  words?: SheetWords
  order?: SheetOrder<Row>
  /** Whether only rows with errors are shown. */
  onlyErrors: boolean
  /** Explains how the cells are filled in. */
  help?: ReactNode
  /** Reports the text that the user types in the first column, so that the page can load suggestions. */
  onType?(text: string): void
  createRow(): Row
  onChange(rows: readonly Row[]): void
}) {
  const { id, label, columns, rows, access, viewOf, rejected, suggestions, resultHead, searchIn, onlyErrors } = props
  const { words = LINE_WORDS, order, help, createRow, onType, onChange } = props
  const [search, setSearch] = useState('')
  const [limit, setLimit] = useState(ROWS_PER_STEP)
  const table = useRef<HTMLTableElement>(null)
  const numbers = new Map(rows.map(({ key }, at) => [key, at + 1]))
  const wanted = search.trim().toLowerCase()
  const textOf = (row: Row, name: Name) => viewOf(row).texts?.[name] ?? access.read(row, name)
  const searchTexts =
    props.searchTexts ??
    ((row: Row) => {
      const notes = Object.values<ReactNode>(viewOf(row).notes ?? {})
      return [...columns.map(({ name }) => textOf(row, name)), ...notes.filter((note) => typeof note === 'string')]
    })
  const matches = (row: Row) => {
    if (onlyErrors && Object.keys({ ...viewOf(row).errors, ...rejected.get(row.key) }).length === 0) return false
    return wanted === '' || access.isEmpty(row) || searchTexts(row).some((text) => text.toLowerCase().includes(wanted))
  }
  const matching = rows.filter(matches)
  const shown = matching.slice(0, limit)

  // Rows are rendered again only if they change, so they need functions that stay the same.
  const latest = useRef({ rows, shown, columns, access, textOf, order, createRow, onChange, onType })
  latest.current = { rows, shown, columns, access, textOf, order, createRow, onChange, onType }
  const focusCell = (key: string, column: string | undefined) =>
    table.current
      ?.querySelector<HTMLInputElement>(`tr[data-row="${CSS.escape(key)}"] [data-column="${column}"]`)
      ?.focus()
  const insert = (at: number) => {
    const { rows, columns, createRow, onChange } = latest.current
    const added = createRow()
    onChange(rows.toSpliced(at, 0, added))
    setLimit((before) => Math.max(before, at === rows.length ? rows.length + 1 : before + 1))
    requestAnimationFrame(() => focusCell(added.key, columns[0]?.name))
  }
  const findColumn = (column: string) => latest.current.columns.find(({ name }) => name === column)?.name
  const [actions] = useState<RowActions>(() => ({
    change(key, column, text) {
      const { rows, columns, access, onChange, onType } = latest.current
      const name = findColumn(column)
      if (name === undefined) return
      const cells: Partial<Record<Name, string>> = {}
      cells[name] = text
      onChange(rows.map((row) => (row.key === key ? access.write(row, cells) : row)))
      if (name === columns[0]?.name) onType?.(text)
    },
    leave: (key, column) => latest.current.order?.onLeave(key, column),
    open: (key) => latest.current.order?.onOpen(key),
    insertBelow: (key) => insert(latest.current.rows.findIndex((row) => row.key === key) + 1),
    move(key, by) {
      const { rows, onChange } = latest.current
      const at = rows.findIndex((row) => row.key === key)
      const row = rows[at]
      if (row === undefined || at + by < 0 || at + by >= rows.length) return
      onChange(rows.toSpliced(at, 1).toSpliced(at + by, 0, row))
    },
    remove(key) {
      const { rows, onChange } = latest.current
      onChange(rows.filter((row) => row.key !== key))
    },
    paste(event, key, column) {
      const cells = splitCells(event.clipboardData.getData('text/plain'))
      // A single value is pasted into the cell as usual.
      if (cells.length < 2 && (cells[0]?.length ?? 0) < 2) return
      const { rows, onChange, ...sheet } = latest.current
      const name = findColumn(column)
      if (name === undefined) return
      event.preventDefault()
      onChange(fillRows(rows, cells, { key, column: name }, sheet))
      setLimit((before) => Math.max(before, rows.length + cells.length))
    },
    press(event, key, column) {
      const { rows, shown, textOf } = latest.current
      const at = shown.findIndex((row) => row.key === key)
      if (event.key === 'Enter') {
        event.preventDefault()
        const next = shown[at + (event.shiftKey ? -1 : 1)]
        if (next !== undefined) return focusCell(next.key, column)
        if (!event.shiftKey) insert(rows.length)
      }
      if (event.key === 'd' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        const above = shown[at - 1]
        const name = findColumn(column)
        if (above !== undefined && name !== undefined) actions.change(key, column, textOf(above, name))
      }
    },
  }))

  return (
    <>
      {rows.length > SEARCHED_FROM && (
        <search className="filters inset">
          <SearchBox label={`Search ${words.item}s`} placeholder={searchIn} value={search} onChange={setSearch} />
          <span className="muted" aria-live="polite">
            {wanted !== '' && `${formatCount(matching.length, words.item)} found`}
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
              {order !== undefined && (
                <th role="columnheader" scope="col" className="num">
                  <span aria-hidden="true">#</span>
                  <span className="sr">Row</span>
                </th>
              )}
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
              <th role="columnheader" scope="col">
                <span className="sr">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody role="rowgroup">
            {shown.map((row) => {
              const at = numbers.get(row.key) ?? 0
              const own = order?.nameOf(row).trim()
              return (
                <SheetRowCells
                  key={row.key}
                  id={id}
                  row={row}
                  at={at}
                  name={own === '' ? `${words.place} ${at}` : own}
                  words={words}
                  columns={columns}
                  access={access}
                  resultHead={resultHead}
                  view={viewOf(row)}
                  rejected={rejected.get(row.key)}
                  actions={actions}
                />
              )
            })}
          </tbody>
        </table>
      </div>
      <div className="row wrap sheet-foot">
        <Button small icon="plus" onClick={() => insert(rows.length)}>
          Add {words.item}
        </Button>
        {matching.length > shown.length && (
          <Button small look="quiet" onClick={() => setLimit(limit + ROWS_PER_STEP)}>
            Show {Math.min(ROWS_PER_STEP, matching.length - shown.length)} more of {matching.length}
          </Button>
        )}
        <span className="faint">
          {help ?? 'Paste cells from a spreadsheet. Enter moves down, and Ctrl+D repeats the cell above.'}
        </span>
      </div>
    </>
  )
}

interface RowActions {
  change(key: string, column: string, text: string): void
  leave(key: string, column: string): void
  open(key: string): void
  insertBelow(key: string): void
  move(key: string, by: number): void
  remove(key: string): void
  paste(event: ClipboardEvent, key: string, column: string): void
  press(event: KeyboardEvent, key: string, column: string): void
}

const CELL_LOOKS = { text: 'input', number: 'input num', code: 'input code' } as const

const SheetRowCells = memo(function SheetRowCells(props: {
  id: string
  row: { readonly key: string }
  at: number
  /** The name of the row; undefined if the order of the rows does not matter. */
  name: string | undefined
  words: SheetWords
  columns: readonly SheetColumn[]
  access: CellAccess<{ readonly key: string }>
  resultHead: string | undefined
  view: SheetRowView
  rejected: CellErrors | undefined
  actions: RowActions
}) {
  const { id, row, at, name: rowName, words, columns, access, resultHead, view, rejected, actions } = props
  // An empty row is not saved, so it has no errors.
  const errors: CellErrors = access.isEmpty(row) ? {} : { ...view.errors, ...rejected }
  return (
    <tr role="row" data-row={row.key}>
      {rowName !== undefined && (
        <th role="rowheader" scope="row" className="num row-number">
          {at}
        </th>
      )}
      {columns.map(({ name, head, look = 'text', placeholder, suggests, isProse = false, lang }) => {
        const error = errors[name]
        const note = view.notes?.[name]
        const fixed = view.fixed?.[name]
        const cellId = `${id}-${row.key}-${name}`
        return (
          <td role="cell" key={name} data-label={head} className={`col-${name}`}>
            <input
              className={CELL_LOOKS[look]}
              id={cellId}
              data-column={name}
              aria-label={`${head}, ${words.place} ${at}`}
              aria-invalid={error === undefined ? undefined : true}
              aria-describedby={error === undefined ? undefined : `${cellId}-error`}
              autoComplete="off"
              spellCheck={isProse}
              lang={lang}
              list={suggests === true ? `${id}-list-${name}` : undefined}
              placeholder={fixed ?? placeholder}
              disabled={fixed !== undefined}
              value={fixed === undefined ? (view.texts?.[name] ?? access.read(row, name)) : ''}
              onChange={(event) => actions.change(row.key, name, event.target.value)}
              onBlur={() => actions.leave(row.key, name)}
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
      <td role="cell" className={rowName === undefined ? undefined : 'row-tools'}>
        {rowName === undefined ? (
          <IconButton
            icon="x"
            label={`Remove ${words.place} ${at}`}
            look="quiet"
            small
            onClick={() => actions.remove(row.key)}
          />
        ) : (
          <SheetRowTools rowKey={row.key} name={rowName} item={words.item} actions={actions} />
        )}
      </td>
    </tr>
  )
})
