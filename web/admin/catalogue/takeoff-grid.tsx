import { type ClipboardEvent, type KeyboardEvent, memo, useDeferredValue, useRef, useState } from 'react'
import { useListPage } from '../../api/list-pages.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { splitCells } from '../../ui/pasted-cells.ts'
import { SearchBox } from '../../ui/search-box.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import {
  fillRows,
  isEmptyRow,
  TAKEOFF_COLUMNS,
  type TakeoffColumn,
  type TakeoffRow,
  type TakeoffRowResult,
} from './takeoff-rows.ts'

/** More rows at once make typing slow. A button shows further rows. */
const ROWS_PER_STEP = 100
/** Suggestions for the part that the user types. */
const MAX_SUGGESTIONS = 20

export type CellErrors = Readonly<Partial<Record<TakeoffColumn, string>>>

/**
 * The lines of a takeoff as a spreadsheet. Enter moves down and Shift+Enter moves up, Ctrl+D repeats the cell above, and
 * cells that were copied from a spreadsheet fill the rows from the cell in which they are pasted.
 */
export function TakeoffGrid(props: {
  rows: readonly TakeoffRow[]
  resultOf(row: TakeoffRow): TakeoffRowResult
  /** The errors of the service by the key of the row. */
  rejected: ReadonlyMap<string, CellErrors>
  elevations: readonly string[]
  costCodes: readonly string[]
  /** Whether only rows with errors are shown. */
  onlyErrors: boolean
  createRow(): TakeoffRow
  onChange(rows: readonly TakeoffRow[]): void
}) {
  const { rows, resultOf, rejected, elevations, costCodes, onlyErrors, createRow, onChange } = props
  const [search, setSearch] = useState('')
  const [limit, setLimit] = useState(ROWS_PER_STEP)
  const [typed, setTyped] = useState('')
  const table = useRef<HTMLTableElement>(null)
  const q = useDeferredValue(typed.trim())
  const suggestions = useListPage('/api/ext/parts', { limit: MAX_SUGGESTIONS, q, sort: 'sku' }, { enabled: q !== '' })
  const wanted = search.trim().toLowerCase()
  const matches = (row: TakeoffRow) => {
    if (onlyErrors && Object.keys({ ...resultOf(row).errors, ...rejected.get(row.key) }).length === 0) return false
    if (wanted === '' || isEmptyRow(row)) return true
    const texts = [...Object.values(row.cells), resultOf(row).part?.name ?? '']
    return texts.some((text) => text.toLowerCase().includes(wanted))
  }
  const matching = rows.filter(matches)
  const shown = matching.slice(0, limit)

  // Rows are rendered again only if they change, so they need functions that stay the same.
  const latest = useRef({ rows, shown, createRow, onChange })
  latest.current = { rows, shown, createRow, onChange }
  const focusCell = (key: string, column: TakeoffColumn) =>
    table.current
      ?.querySelector<HTMLInputElement>(`tr[data-row="${CSS.escape(key)}"] [data-column="${column}"]`)
      ?.focus()
  const [actions] = useState<RowActions>(() => ({
    change(key, column, text) {
      const { rows, onChange } = latest.current
      onChange(rows.map((row) => (row.key === key ? { ...row, cells: { ...row.cells, [column]: text } } : row)))
      if (column === 'part') setTyped(text)
    },
    remove(key) {
      const { rows, onChange } = latest.current
      onChange(rows.filter((row) => row.key !== key))
    },
    paste(event, key, column) {
      const cells = splitCells(event.clipboardData.getData('text/plain'))
      // A single value is pasted into the cell as usual.
      if (cells.length < 2 && (cells[0]?.length ?? 0) < 2) return
      event.preventDefault()
      const { rows, onChange, createRow } = latest.current
      onChange(fillRows(rows, cells, { key, column }, createRow))
      setLimit((before) => Math.max(before, rows.length + cells.length))
    },
    press(event, key, column) {
      const { rows, shown, onChange, createRow } = latest.current
      const at = shown.findIndex((row) => row.key === key)
      if (event.key === 'Enter') {
        event.preventDefault()
        const next = shown[at + (event.shiftKey ? -1 : 1)]
        if (next !== undefined) return focusCell(next.key, column)
        if (event.shiftKey) return
        const added = createRow()
        onChange([...rows, added])
        setLimit((before) => before + 1)
        requestAnimationFrame(() => focusCell(added.key, 'part'))
      }
      if (event.key === 'd' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        const above = shown[at - 1]?.cells[column]
        if (above !== undefined) actions.change(key, column, above)
      }
    },
  }))

  return (
    <>
      {rows.length > SEARCHED_FROM && (
        <search className="filters inset">
          <SearchBox label="Search lines" placeholder="Part, formula, or task" value={search} onChange={setSearch} />
          <span className="muted" aria-live="polite">
            {wanted !== '' && `${formatCount(matching.length, 'line')} found`}
          </span>
        </search>
      )}
      <datalist id="takeoff-parts">
        {(suggestions.data?.data ?? []).map(({ id, sku, name }) => (
          <option key={id} value={sku}>
            {name}
          </option>
        ))}
      </datalist>
      <datalist id="takeoff-elevations">
        {elevations.map((code) => (
          <option key={code} value={code} />
        ))}
      </datalist>
      <datalist id="takeoff-codes">
        {costCodes.map((code) => (
          <option key={code} value={code} />
        ))}
      </datalist>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be one more landmark within the panel's. */}
      <div className="table-wrap" tabIndex={0} role="region" aria-label="Lines of the takeoff">
        <table role="table" className="table grid sheet" ref={table}>
          <caption className="sr">Lines of the takeoff</caption>
          <thead role="rowgroup">
            <tr role="row">
              {TAKEOFF_COLUMNS.map(({ name, head }) => (
                <th role="columnheader" scope="col" key={name} className={name === 'waste' ? 'num' : undefined}>
                  {head}
                </th>
              ))}
              <th role="columnheader" scope="col" className="num">
                To buy
              </th>
              <td role="cell" />
            </tr>
          </thead>
          <tbody role="rowgroup">
            {shown.map((row) => (
              <GridRow
                key={row.key}
                row={row}
                at={rows.indexOf(row) + 1}
                result={resultOf(row)}
                rejected={rejected.get(row.key)}
                actions={actions}
              />
            ))}
          </tbody>
        </table>
      </div>
      <div className="row wrap sheet-foot">
        <Button
          small
          icon="plus"
          onClick={() => {
            const added = createRow()
            onChange([...rows, added])
            setLimit((before) => Math.max(before, rows.length + 1))
            requestAnimationFrame(() => focusCell(added.key, 'part'))
          }}
        >
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

/** A shorter takeoff is seen at once. */
const SEARCHED_FROM = 15

interface RowActions {
  change(key: string, column: TakeoffColumn, text: string): void
  remove(key: string): void
  paste(event: ClipboardEvent, key: string, column: TakeoffColumn): void
  press(event: KeyboardEvent, key: string, column: TakeoffColumn): void
}

const LISTS: Partial<Record<TakeoffColumn, string>> = {
  part: 'takeoff-parts',
  elevation: 'takeoff-elevations',
  costCode: 'takeoff-codes',
}

const GridRow = memo(function GridRow(props: {
  row: TakeoffRow
  at: number
  result: TakeoffRowResult
  rejected: CellErrors | undefined
  actions: RowActions
}) {
  const { row, at, result, rejected, actions } = props
  const { part, quantity } = result
  // An empty row is not saved, so it has no errors.
  const errors = isEmptyRow(row) ? {} : { ...result.errors, ...rejected }
  return (
    <tr role="row" data-row={row.key}>
      {TAKEOFF_COLUMNS.map(({ name, head }) => {
        const error = errors[name]
        const id = `takeoff-${row.key}-${name}`
        return (
          <td role="cell" key={name} data-label={head} className={`col-${name}`}>
            <input
              className={name === 'waste' ? 'input num' : name === 'amount' ? 'input code' : 'input'}
              id={id}
              data-column={name}
              aria-label={`${head}, line ${at}`}
              aria-invalid={error === undefined ? undefined : true}
              aria-describedby={error === undefined ? undefined : `${id}-error`}
              autoComplete="off"
              spellCheck={false}
              list={LISTS[name]}
              placeholder={name === 'elevation' ? 'all' : undefined}
              value={row.cells[name] ?? ''}
              onChange={(event) => actions.change(row.key, name, event.target.value)}
              onPaste={(event) => actions.paste(event, row.key, name)}
              onKeyDown={(event) => actions.press(event, row.key, name)}
            />
            {error !== undefined ? (
              <span className="cell-error" id={`${id}-error`}>
                {error}
              </span>
            ) : (
              name === 'part' && part !== null && <span className="cell-note">{part.name}</span>
            )}
          </td>
        )
      })}
      <td role="cell" data-label="To buy" className="num result">
        {quantity === null ? (
          <span className="none">{isEmptyRow(row) ? '' : 'none'}</span>
        ) : (
          <>
            {formatQuantity(quantity.quantity)} <span className="faint">{part?.unit}</span>
          </>
        )}
      </td>
      <td role="cell">
        <IconButton icon="x" label={`Remove line ${at}`} look="quiet" small onClick={() => actions.remove(row.key)} />
      </td>
    </tr>
  )
})
