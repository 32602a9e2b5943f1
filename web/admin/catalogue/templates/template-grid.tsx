import { Menu } from '@base-ui/react/menu'
import { type ClipboardEvent, type KeyboardEvent, memo, useRef, useState } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { humanizeName } from '../../../ui/humanize-name.ts'
import { RecordName } from '../../../ui/record-name.tsx'
import { SearchBox } from '../../../ui/search-box.tsx'
import { splitCells } from '../../../ui/sheet-rows.ts'
import { formatCount } from '../../../ui/text-formats.ts'
import { describeLink } from '../../homes/task-words.ts'
import {
  createRow,
  fillRows,
  formatLinks,
  isEmptyRow,
  type RowErrors,
  settleLinks,
  TEMPLATE_COLUMNS,
  type TemplateColumn,
  type TemplateReading,
  type TemplateRow,
} from './template-rows.ts'

/**
 * The number of rows that are shown first. More rows would make typing slow, and each row fills much of a phone's
 * screen. A button shows more rows.
 */
const ROWS_PER_STEP = matchMedia('(max-width: 760px)').matches ? 20 : 100
/** The number of rows from which a search box is shown. A shorter template needs none. */
const SEARCHED_FROM = 15

/**
 * The rows of a template as a spreadsheet. Enter moves down and Shift+Enter moves up, Ctrl+D repeats the cell above, and
 * cells that were copied from a spreadsheet fill the rows from the cell in which they are pasted.
 */
export function TemplateGrid(props: {
  rows: readonly TemplateRow[]
  reading: TemplateReading
  /** The errors of the service by the key of the row. */
  rejected: ReadonlyMap<string, RowErrors>
  trades: readonly string[]
  /** Whether only rows with errors are shown. */
  onlyErrors: boolean
  onChange(rows: readonly TemplateRow[]): void
  /** Opens all fields of a row. */
  onOpen(key: string): void
}) {
  const { rows, reading, rejected, trades, onlyErrors, onChange, onOpen } = props
  const [search, setSearch] = useState('')
  const [limit, setLimit] = useState(ROWS_PER_STEP)
  const table = useRef<HTMLTableElement>(null)
  const numbers = new Map(rows.map(({ key }, at) => [key, at + 1]))
  const names = new Map(rows.map(({ key, name }) => [key, name]))
  const wanted = search.trim().toLowerCase()
  const matches = (row: TemplateRow) => {
    if (onlyErrors && Object.keys({ ...reading.rows.get(row.key)?.errors, ...rejected.get(row.key) }).length === 0)
      return false
    if (wanted === '' || isEmptyRow(row)) return true
    return [row.name, row.spanishName, row.scope, row.phase].some((text) => text.toLowerCase().includes(wanted))
  }
  const matching = rows.filter(matches)
  const shown = matching.slice(0, limit)

  // Rows are rendered again only if they change, so they need functions that stay the same.
  const latest = useRef({ rows, reading, shown, onChange, onOpen })
  latest.current = { rows, reading, shown, onChange, onOpen }
  const focusCell = (key: string, column: TemplateColumn) =>
    table.current
      ?.querySelector<HTMLInputElement>(`tr[data-row="${CSS.escape(key)}"] [data-column="${column}"]`)
      ?.focus()
  const insert = (at: number) => {
    const { rows, onChange } = latest.current
    const added = createRow()
    onChange(rows.toSpliced(at, 0, added))
    setLimit((before) => Math.max(before, at === rows.length ? rows.length + 1 : before + 1))
    requestAnimationFrame(() => focusCell(added.key, 'name'))
  }
  const [actions] = useState<RowActions>(() => ({
    change(key, column, text) {
      const { rows, onChange } = latest.current
      onChange(rows.map((row) => (row.key === key ? { ...row, [column]: text } : row)))
    },
    settle(key) {
      const { rows, reading, onChange } = latest.current
      const row = rows.find((one) => one.key === key)
      if (row === undefined) return
      const settled = settleLinks(row, reading.rows.get(key))
      if (settled !== row) onChange(rows.map((one) => (one === row ? settled : one)))
    },
    open: (key) => latest.current.onOpen(key),
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
      event.preventDefault()
      const { rows, onChange } = latest.current
      onChange(fillRows(rows, cells, { key, column }))
      setLimit((before) => Math.max(before, rows.length + cells.length))
    },
    press(event, key, column) {
      const { rows, shown } = latest.current
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
        if (above === undefined) return
        const numberOf = (one: string) => rows.findIndex((row) => row.key === one) + 1
        actions.change(key, column, column === 'waits' ? formatWaits(above, numberOf) : above[column])
      }
    },
  }))

  return (
    <>
      {rows.length > SEARCHED_FROM && (
        <search className="filters inset">
          <SearchBox label="Search tasks" placeholder="Task, trade, or phase" value={search} onChange={setSearch} />
          <span className="muted" aria-live="polite">
            {wanted !== '' && `${formatCount(matching.length, 'task')} found`}
          </span>
        </search>
      )}
      <datalist id="template-trades">
        {trades.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be one more landmark within the panel's. */}
      <div className="table-wrap" tabIndex={0} role="region" aria-label="Tasks of the template">
        <table role="table" className="table grid sheet template-sheet" ref={table}>
          <caption className="sr">Tasks of the template</caption>
          <thead role="rowgroup">
            <tr role="row">
              <th role="columnheader" scope="col" className="num">
                <span aria-hidden="true">#</span>
                <span className="sr">Row</span>
              </th>
              {TEMPLATE_COLUMNS.map(({ name, head }) => (
                <th role="columnheader" scope="col" key={name} className={name === 'duration' ? 'num' : undefined}>
                  {head}
                </th>
              ))}
              <th role="columnheader" scope="col" className="num">
                Days
              </th>
              <th role="columnheader" scope="col">
                <span className="sr">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody role="rowgroup">
            {shown.map((row) => {
              const own = reading.rows.get(row.key)
              const links = row.waits === null ? row.links : (own?.links ?? [])
              return (
                <GridRow
                  key={row.key}
                  row={row}
                  at={numbers.get(row.key) ?? 0}
                  waits={formatWaits(row, (key) => numbers.get(key))}
                  waitsNote={links.map((link) => describeLink(names.get(link.to) ?? link.name, link)).join('; ')}
                  days={own?.schedule == null ? '' : formatDays(own.schedule)}
                  errors={{ ...own?.errors, ...rejected.get(row.key) }}
                  actions={actions}
                />
              )
            })}
          </tbody>
        </table>
      </div>
      <div className="row wrap sheet-foot">
        <Button small icon="plus" onClick={() => insert(rows.length)}>
          Add task
        </Button>
        {matching.length > shown.length && (
          <Button small look="quiet" onClick={() => setLimit(limit + ROWS_PER_STEP)}>
            Show {Math.min(ROWS_PER_STEP, matching.length - shown.length)} more of {matching.length}
          </Button>
        )}
        <span className="faint">
          A task waits for the rows whose numbers you enter. For example, <code>3, 5SS+2</code> means after row 3, and 2
          workdays after the start of row 5. Use <code>FF</code> or <code>SF</code> for other links and <code>cd</code>{' '}
          for calendar days.
        </span>
      </div>
    </>
  )
}

function formatWaits(row: TemplateRow, numberOf: (key: string) => number | undefined): string {
  return row.waits ?? formatLinks(row.links, numberOf)
}

/** Formats the workdays of a row, such as `8 to 13`. */
function formatDays({ start, end }: { start: number; end: number }): string {
  if (end - start <= 1) return String(Math.max(end, 1))
  return `${start + 1} to ${end}`
}

interface RowActions {
  change(key: string, column: TemplateColumn, text: string): void
  /** Replaces the typed predecessors with links, so that they follow their rows. */
  settle(key: string): void
  open(key: string): void
  insertBelow(key: string): void
  move(key: string, by: number): void
  remove(key: string): void
  paste(event: ClipboardEvent, key: string, column: TemplateColumn): void
  press(event: KeyboardEvent, key: string, column: TemplateColumn): void
}

interface GridRowProps {
  row: TemplateRow
  at: number
  waits: string
  /** The names of the predecessors. */
  waitsNote: string
  days: string
  errors: RowErrors
  actions: RowActions
}

const GridRow = memo(
  function GridRow({ row, at, waits, waitsNote, days, errors, actions }: GridRowProps) {
    const name = row.name.trim() === '' ? `row ${at}` : row.name.trim()
    const notes = { name: describeDetails(row), waits: waitsNote }
    return (
      <tr role="row" data-row={row.key}>
        <th role="rowheader" scope="row" className="num row-number">
          {at}
        </th>
        {TEMPLATE_COLUMNS.map(({ name: column, head }) => {
          const error = errors[column]
          const id = `template-${row.key}-${column}`
          const isFixed = column === 'duration' && row.taskKind === 'milestone'
          const note = column === 'name' || column === 'waits' ? notes[column] : ''
          return (
            <td role="cell" key={column} data-label={head} className={`col-${column}`}>
              <input
                className={column === 'duration' ? 'input num' : 'input'}
                id={id}
                data-column={column}
                aria-label={`${head}, row ${at}`}
                aria-invalid={error === undefined ? undefined : true}
                aria-describedby={error === undefined ? undefined : `${id}-error`}
                autoComplete="off"
                list={column === 'scope' ? 'template-trades' : undefined}
                lang={column === 'spanishName' ? 'es' : undefined}
                placeholder={column === 'duration' ? (isFixed ? '0' : '1') : undefined}
                disabled={isFixed}
                value={column === 'waits' ? waits : isFixed ? '' : row[column]}
                onChange={(event) => actions.change(row.key, column, event.target.value)}
                onBlur={column === 'waits' ? () => actions.settle(row.key) : undefined}
                onPaste={(event) => actions.paste(event, row.key, column)}
                onKeyDown={(event) => actions.press(event, row.key, column)}
              />
              {error !== undefined ? (
                <span className="cell-error" id={`${id}-error`}>
                  {error}
                </span>
              ) : (
                (note !== '' || (column === 'name' && row.vendorId !== '')) && (
                  <span className="cell-note">
                    {note}
                    {column === 'name' && row.vendorId !== '' && (
                      <>
                        {note !== '' && ', '}
                        <RecordName of="vendor" id={row.vendorId} isPlain />
                      </>
                    )}
                  </span>
                )
              )}
            </td>
          )
        })}
        <td role="cell" data-label="Days" className="num result">
          {days === '' ? <span className="none">none</span> : days}
        </td>
        <td role="cell" className="row-tools">
          <span className="row">
            <Button small look="quiet" aria-label={`Edit ${name}`} onClick={() => actions.open(row.key)}>
              Edit
            </Button>
            <Menu.Root>
              <Menu.Trigger render={<IconButton icon="dots" label={`More for ${name}`} look="quiet" small />} />
              <Menu.Portal>
                <Menu.Positioner className="over" sideOffset={4} align="end">
                  <Menu.Popup className="menu">
                    <Menu.Item onClick={() => actions.insertBelow(row.key)}>Insert task below</Menu.Item>
                    <Menu.Item onClick={() => actions.move(row.key, -1)}>Move up</Menu.Item>
                    <Menu.Item onClick={() => actions.move(row.key, 1)}>Move down</Menu.Item>
                    <Menu.Item onClick={() => actions.remove(row.key)}>Remove</Menu.Item>
                  </Menu.Popup>
                </Menu.Positioner>
              </Menu.Portal>
            </Menu.Root>
          </span>
        </td>
      </tr>
    )
  },
  (before, after) =>
    before.row === after.row &&
    before.at === after.at &&
    before.waits === after.waits &&
    before.waitsNote === after.waitsNote &&
    before.days === after.days &&
    TEMPLATE_COLUMNS.every(({ name }) => before.errors[name] === after.errors[name]),
)

/** Describes the fields of a row that have no column, such as `Inspection, Framing, 3 checks`. */
function describeDetails({ taskKind, phase, checklist }: TemplateRow): string {
  return [
    ...(taskKind === 'work' ? [] : [humanizeName(taskKind)]),
    ...(phase.trim() === '' ? [] : [humanizeName(phase.trim())]),
    ...(checklist.length === 0 ? [] : [formatCount(checklist.length, 'check')]),
  ].join(', ')
}
